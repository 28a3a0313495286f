import { hostState } from '@quartermaster/api/states';
import { Link } from 'wouter';
import { type ApiObject, nameOf } from '../api/api-object.ts';
import { hostClassKind, hostKind, listHref, objectHref } from '../api/object-kind.ts';
import { useObjects } from '../api/use-object.ts';
import { ClaimButton } from '../claims/claim-button.tsx';
import { ReleaseButton } from '../claims/release-button.tsx';
import type { Host } from '../hosts/host.ts';

import { countOf, formatInteger } from '../model/amounts.ts';
import { shortId } from '../model/short-id.ts';
import { useNamesOf } from '../objects/names-of.ts';
import { Changing } from '../parts/changing.tsx';
import { Panel } from '../parts/panel.tsx';
import { Dot } from '../parts/state-word.tsx';
import { nodeSetLines } from '../states/node-sets.ts';
import { type ClusterObject, ofCluster } from './cluster-object.ts';

/** As many hosts of a node set as are named at once; the rest is a link away. */
const maxNamed = 60;

/** Each node set: how many hosts it shall have, which it has, and why it has no more. */
export function NodeSetsPanel({ cluster }: { readonly cluster: ClusterObject }) {
  const hosts = useObjects<Host>(hostKind, { filter: ofCluster(cluster) }).data?.items ?? [];
  const known = new Map(hosts.map((host) => [host.id, host])); // id -> host
  const classes = useNamesOf(hostClassKind);
  const lines = nodeSetLines(cluster);
  return (
    <Panel title="Node sets" aside={<Link href={listHref(hostKind, ofCluster(cluster))}>all its hosts</Link>} source="fulfillment">
      {lines.length === 0 && <p className="empty-line">It has no node sets: nothing was ordered.</p>}
      {lines.map((line) => (
        <section key={line.name} className="node-set" aria-label={line.name}>
          <h3>
            {line.name} <Link href={objectHref(hostClassKind, line.hostClass)}>{classes.get(line.hostClass) ?? line.hostClass}</Link>
          </h3>
          <p>
            <strong>
              <Changing value={`${line.hosts.length} ${line.wanted}`}>
                {formatInteger(line.hosts.length)} of {countOf(line.wanted, 'host')}
              </Changing>
            </strong>
          </p>
          <div className="set-actions">
            <ClaimButton cluster={cluster} line={line} />
            <ReleaseButton
              cluster={cluster}
              hosts={line.hosts.map((id) => known.get(id) ?? unknownHost(id))}
              label={`Release hosts of ${line.name} …`}
            />
          </div>
          <ul className="host-links">
            {line.hosts.slice(0, maxNamed).map((id) => (
              <HostLink key={id} id={id} host={known.get(id)} />
            ))}
            {line.hosts.length > maxNamed && <li className="dim">and {formatInteger(line.hosts.length - maxNamed)} more</li>}
          </ul>
        </section>
      ))}
    </Panel>
  );
}

/** Of which only the cluster says that it exists. */
const unknownHost = (id: string): ApiObject => ({ id, metadata: { name: '', tenants: [], version: '0' } });

function HostLink({ id, host }: { readonly id: string; readonly host: Host | undefined }) {
  const { tone, word } = host === undefined ? { tone: 'unknown' as const, word: 'unknown' } : hostState(host);
  return (
    <li title={`${id}: ${word}`}>
      <Dot tone={tone} />
      <Link href={objectHref(hostKind, id)}>{host === undefined ? shortId(id) : nameOf(host)}</Link>
    </li>
  );
}
