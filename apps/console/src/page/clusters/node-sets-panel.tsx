import { hostState } from '@quartermaster/api/states';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { nameOf } from '../api/api-object.ts';
import { callApi } from '../api/call-api.ts';
import { clusterKind, hostClassKind, hostKind, listHref, objectHref } from '../api/object-kind.ts';
import { objectKey, useObjects } from '../api/use-object.ts';
import type { Host } from '../hosts/host.ts';

import { countOf, formatInteger } from '../model/amounts.ts';
import { shortId } from '../model/short-id.ts';
import { useNamesOf } from '../objects/names-of.ts';
import { Changing } from '../parts/changing.tsx';
import { Panel } from '../parts/panel.tsx';
import { Dot } from '../parts/state-word.tsx';
import { useSession } from '../session/session.ts';
import { type ClusterObject, type NodeSetLine, nodeSetLines, ofCluster } from './cluster-object.ts';

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
            </strong>{' '}
            <MissingHosts cluster={cluster} line={line} />
          </p>
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

function HostLink({ id, host }: { readonly id: string; readonly host: Host | undefined }) {
  const { tone, word } = host === undefined ? { tone: 'unknown' as const, word: 'unknown' } : hostState(host);
  return (
    <li title={`${id}: ${word}`}>
      <Dot tone={tone} />
      <Link href={objectHref(hostKind, id)}>{host === undefined ? shortId(id) : nameOf(host)}</Link>
    </li>
  );
}

interface Claim {
  readonly claimed: readonly string[];
  readonly missing: number;
  readonly refusals: readonly { readonly reason: string; readonly message: string }[];
}

/** Why a node set has fewer hosts than it shall: asked of the service by a claim that does nothing. */
function MissingHosts({ cluster, line: { name, wanted, hosts } }: { readonly cluster: ClusterObject; readonly line: NodeSetLine }) {
  const { rights } = useSession();
  const missing = wanted - hosts.length;
  const isAsked = missing > 0 && rights.has('/quartermaster.fulfillment.v1.HostAssignments/ClaimHosts');
  const { data } = useQuery({
    queryKey: [...objectKey(clusterKind, cluster.id), 'claim', name, wanted, hosts.length],
    queryFn: ({ signal }) =>
      callApi<Claim>(`/api/quartermaster/v1/clusters/${encodeURIComponent(cluster.id)}/hosts/claim`, {
        method: 'POST',
        body: { node_set: name, dry_run: true },
        signal,
      }),
    enabled: isAsked,
  });
  if (missing < 0) return <span className="dim">{countOf(-missing, 'host')} more than ordered, to be released</span>;
  if (missing === 0) return null;
  return (
    <span className="dim">
      {countOf(missing, 'host')} missing{data === undefined ? '' : `: ${claimWords(data)}`}
    </span>
  );
}

function claimWords({ claimed, missing, refusals }: Claim): string {
  const free = claimed.length === 0 ? [] : [`${countOf(claimed.length, 'host')} could be claimed now`];
  if (missing > 0 && refusals.length === 0 && free.length === 0) return 'there are no other hosts of this class';
  return [...free, ...(missing > 0 ? refusals.map(({ message }) => message) : [])].join('; ');
}
