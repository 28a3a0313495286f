import type { LeasedServiceJson, LeaseProblemJson, RunningLeaseJson } from '@quartermaster/api/cluster';
import { leaseHealth, sentenceCase, type Tone } from '@quartermaster/api/states';
import { Fragment } from 'react';
import { Link } from 'wouter';
import { momentOf } from '../api/api-words.ts';
import { gpusOf, isOver, podsOf, problemTone } from '../lease-model/lease-words.ts';
import { gpuHitHref, nodeHref, podHref, storageHref } from '../model/addresses.ts';
import { countOf, formatBytes, formatInteger } from '../model/amounts.ts';
import { numberOf } from '../model/card-names.ts';
import { podTone } from '../model/pod-tone.ts';
import { shortId } from '../model/short-id.ts';
import { Changing } from '../parts/changing.tsx';
import { Panel } from '../parts/panel.tsx';
import { Dot, StateWord } from '../parts/state-word.tsx';
import { PlainTable } from '../parts/table/plain-table.tsx';
import { ForHowLong, TimeAgo } from '../parts/time-ago.tsx';

export interface PanelOfLease {
  readonly lease: RunningLeaseJson;
  readonly isLastKnown: boolean;
}

/** Services with how many of their replicas are available, and what is wrong in words. */
export function ServicesPanel({ lease, isLastKnown }: PanelOfLease) {
  const { services = [] } = lease;
  return (
    <Panel title="Services" aside={countOf(services.length, 'service')} isLastKnown={isLastKnown}>
      {services.length === 0 ? (
        <p className="empty-line">{isOver(lease) ? 'Nothing is running any more.' : 'No manifest received yet.'}</p>
      ) : (
        <PlainTable
          headings={['Service', 'State', 'Available', 'Updated', 'Image', 'Addresses']}
          numbers={['Available', 'Updated']}
          layout="lease-table service-table"
        >
          {services.map((service) => (
            <Fragment key={service.name}>
              <ServiceRow service={service} />
              {(service.problems ?? []).length > 0 && (
                <tr className="problem-row">
                  <td colSpan={6}>
                    <Problems problems={service.problems ?? []} tone={problemTone(service.health)} />
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </PlainTable>
      )}
    </Panel>
  );
}

function ServiceRow({ service }: { readonly service: LeasedServiceJson }) {
  const { name = '', image = '', available = 0, updated = 0, count = 0, ports = [], addresses = [] } = service;
  const reached = [
    ...ports.map(({ port = 0, externalPort = 0, protocol = '', host = '' }) =>
      externalPort === 0
        ? `${port}/${protocol}: no port assigned yet`
        : `${host === '' ? '*' : host}:${externalPort} → ${port}/${protocol}`,
    ),
    ...addresses.map(({ endpoint = '', ip = '', externalPort = 0, port = 0, protocol = '' }) =>
      ip === '' ? `${endpoint}: no address assigned yet` : `${ip}:${externalPort} → ${port}/${protocol} (${endpoint})`,
    ),
  ];
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <StateWord {...leaseHealth(service.health)} />
      </td>
      <td className="number">
        <Changing value={`${available} ${count}`}>{`${formatInteger(available)} of ${formatInteger(count)}`}</Changing>
      </td>
      <td className="number">{formatInteger(updated)}</td>
      <td className="mono">{image}</td>
      <td className="mono">{reached.length === 0 ? <span className="dim">–</span> : reached.join(', ')}</td>
    </tr>
  );
}

/** What is wrong, one line each, with what it is about and for how long. */
export function Problems({ problems, tone = 'failed' }: { readonly problems: readonly LeaseProblemJson[]; readonly tone?: Tone }) {
  return (
    <ul className="conditions">
      {problems.map(({ code = '', message = '', subject = '', since }) => (
        <li key={`${code} ${subject} ${message}`}>
          <Dot tone={tone} />
          <strong>{subject === '' ? code : subject}</strong>
          <span>
            {sentenceCase(message)} <span className="dim">({code})</span>
          </span>
          <span className="dim">
            <ForHowLong since={momentOf(since)} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Its pods, each with its node and its cards: from here to the card and back. */
export function PodsPanel({ lease, isLastKnown }: PanelOfLease) {
  const pods = podsOf(lease);
  const { namespace = '' } = lease;
  const gpus = gpusOf(lease);
  return (
    <Panel
      title="Pods"
      aside={[countOf(pods.length, 'pod'), ...(gpus === 0 ? [] : [countOf(gpus, 'GPU')])].join(', ')}
      isLastKnown={isLastKnown}
    >
      {pods.length === 0 ? (
        <p className="empty-line">{isOver(lease) ? 'Nothing is running any more.' : 'Nothing is running yet.'}</p>
      ) : (
        <PlainTable
          headings={['Pod', 'Service', 'State', 'Node', 'GPUs', 'Restarts', 'Created']}
          numbers={['Restarts']}
          layout="lease-table lease-pods"
        >
          {pods.map(
            ({ name = '', service, phase = '', ready = false, node = '', restarts = 0, devices = [], gpus: count = 0, createdAt }) => {
              const created = momentOf(createdAt);
              return (
                <tr key={name}>
                  <th scope="row" className="mono">
                    <Link href={podHref(`${namespace}/${name}`)}>{name}</Link>
                  </th>
                  <td>{service}</td>
                  <td>
                    <StateWord
                      tone={phase === 'Running' && !ready ? 'reserved' : podTone(phase)}
                      word={phase === 'Running' ? (ready ? 'Running, ready' : 'Running, not ready') : phase}
                    />
                  </td>
                  <td>{node === '' ? <span className="dim">not assigned</span> : <Link href={nodeHref(node)}>{node}</Link>}</td>
                  <td>
                    <Cards node={node} devices={devices} count={count} />
                  </td>
                  <td className="number">{formatInteger(restarts)}</td>
                  <td>{created !== undefined && <TimeAgo at={created} />}</td>
                </tr>
              );
            },
          )}
        </PlainTable>
      )}
    </Panel>
  );
}

interface CardsProps {
  readonly node: string;
  readonly devices: readonly string[];
  readonly count: number;
}

function Cards({ node, devices, count }: CardsProps) {
  if (count === 0 && devices.length === 0) return <span className="dim">none</span>;
  if (devices.length === 0) return <span title="It is not known which GPUs these are.">{formatInteger(count)}</span>;
  return (
    <span className="link-list">
      {devices.map((device) => (
        <Link key={device} href={gpuHitHref(`${node} ${device}`)} className="mono" title={device}>
          {shortId(device)}
        </Link>
      ))}
    </span>
  );
}

const volumeTones = { Bound: 'good', Pending: 'reserved', Lost: 'failed' } as const;

/** What keeps data; nothing where nothing does. */
export function VolumesPanel({ lease: { volumes = [] }, isLastKnown }: PanelOfLease) {
  if (volumes.length === 0) return null;
  return (
    <Panel title="Volumes" aside={countOf(volumes.length, 'volume')} isLastKnown={isLastKnown}>
      <PlainTable headings={['Volume', 'State', 'Size', 'Class', 'Node', 'Claim']} numbers={['Size']} layout="lease-table volume-table">
        {volumes.map(({ name = '', claim = '', phase = '', bytes, storageClass = '', node = '' }) => (
          <tr key={claim}>
            <th scope="row">{name}</th>
            <td>
              <StateWord tone={(volumeTones as Readonly<Record<string, Tone>>)[phase] ?? 'unknown'} word={phase || 'Unknown'} />
            </td>
            <td className="number" title={`${formatInteger(numberOf(bytes))} bytes`}>
              {formatBytes(numberOf(bytes))}
            </td>
            <td>{storageClass !== '' && <Link href={storageHref(storageClass)}>{storageClass}</Link>}</td>
            <td>{node === '' ? <span className="dim">–</span> : <Link href={nodeHref(node)}>{node}</Link>}</td>
            <td className="mono">{claim}</td>
          </tr>
        ))}
      </PlainTable>
    </Panel>
  );
}
