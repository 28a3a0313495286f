import { hostState, powerWords } from '@quartermaster/api/states';
import { memo } from 'react';
import { Link } from 'wouter';
import { celText } from '../../filter/cel-text.ts';
import { nameOf } from '../api/api-object.ts';
import { hostKind, listHref } from '../api/object-kind.ts';
import { type Host, hostHref } from '../hosts/host.ts';
import { countOf } from '../model/amounts.ts';
import { Dot } from '../parts/state-word.tsx';
import type { RackElevation } from './rack-elevation.ts';

interface RackDrawingProps {
  readonly elevation: RackElevation;
  /** id -> name. */
  readonly clusters: ReadonlyMap<string, string>;
}

/** A rack from the front: one box for each height unit, filled by the state of who is in it. */
export const RackDrawing = memo(function RackDrawing({ elevation, clusters }: RackDrawingProps) {
  const { rack, units, placed, loose, clashing, free } = elevation;
  const hosts = placed.length + loose.length + clashing.length;
  return (
    <section className="rack" aria-label={`Rack ${rack}`}>
      <header>
        <h2>
          <Link href={listHref(hostKind, `this.spec.rack == ${celText(rack)}`)}>{rack}</Link>
        </h2>
        <span className="dim">{countOf(hosts, 'host')}</span>
      </header>
      <div className="rack-units">
        {Array.from({ length: units }, (_, index) => units - index).map((unit) => (
          <span key={unit} className="rack-number" style={{ gridRow: units - unit + 1 }} aria-hidden="true">
            {unit}
          </span>
        ))}
        {free.map((unit) => (
          <span key={unit} className="rack-free" style={{ gridRow: units - unit + 1 }} />
        ))}
        {placed.map(({ host, unit, height }) => {
          const { tone } = hostState(host);
          const place = height === 1 ? `unit ${unit}` : `units ${unit} to ${unit + height - 1}`;
          return (
            <Link
              key={host.id}
              href={hostHref(host.id)}
              className={`rack-host tint-${tone}`}
              style={{ gridRow: `${units - (unit + height - 1) + 1} / span ${height}` }}
              title={chainOf(host, place, clusters)}
            >
              <span className={`rack-edge fill-${tone}`} aria-hidden="true" />
              <span className="rack-name">{nameOf(host)}</span>
            </Link>
          );
        })}
      </div>
      {loose.length + clashing.length > 0 && (
        <ul className="rack-loose">
          {clashing.map(({ host, with: other }) => (
            <li key={host.id}>
              <Dot tone="held" />
              <span>
                <Link href={hostHref(host.id)}>{nameOf(host)}</Link> overlaps with {nameOf(other)}
              </span>
            </li>
          ))}
          {loose.map((host) => (
            <li key={host.id}>
              <Dot tone={hostState(host).tone} />
              <span>
                <Link href={hostHref(host.id)}>{nameOf(host)}</Link> <span className="dim">height unit unknown</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
});

function chainOf(host: Host, place: string, clusters: ReadonlyMap<string, string>): string {
  const cluster = host.status?.cluster ?? '';
  const owner = cluster === '' ? 'in no cluster' : `cluster ${clusters.get(cluster) ?? cluster}`;
  return `${host.spec?.rack ?? ''}, ${place} → ${nameOf(host)} → ${owner}\n${hostState(host).word}, power ${powerWords(host)}`;
}
