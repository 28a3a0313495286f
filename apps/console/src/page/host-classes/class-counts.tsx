import { Link } from 'wouter';
import type { ApiObject } from '../api/api-object.ts';
import { hostKind } from '../api/object-kind.ts';
import { useObjects } from '../api/use-object.ts';
import { celText, hostsHref } from '../hosts/host.ts';
import { formatInteger } from '../model/amounts.ts';
import type { Tone } from '../model/node-state.ts';
import { Changing } from '../parts/changing.tsx';
import { ShareBar } from '../parts/share-bar.tsx';

/** The hosts of a class. */
export const ofClass = (id: string): string => `this.spec.class == ${celText(id)}`;

/** Those of them that could be given to a cluster now. */
export const freeOfClass = (id: string): string => `${ofClass(id)} && ${unassigned} && this.status.state != HOST_STATE_FAILED`;

const unassigned = 'this.status.cluster == "" && this.status.host_pool == ""';

interface HostCountProps {
  /** In the API's own language: the number is a link to the hosts that it counts. */
  readonly filter: string;
}

// what became of the hosts of a class, in the order in which they are drawn: each host is in one of them
const parts: readonly { readonly label: string; readonly tone: Tone; readonly filter: string }[] = [
  { label: 'in use', tone: 'allocated', filter: 'this.status.cluster != ""' },
  { label: 'in a pool', tone: 'reserved', filter: 'this.status.cluster == "" && this.status.host_pool != ""' },
  { label: 'free', tone: 'good', filter: `${unassigned} && this.status.state != HOST_STATE_FAILED` },
  { label: 'failed', tone: 'failed', filter: `${unassigned} && this.status.state == HOST_STATE_FAILED` },
];

/** The hosts of a class by what became of them; each part is a link to the hosts that it counts. */
export function ClassBar({ id }: { readonly id: string }) {
  const [used, pooled, free, failed] = parts.map(({ filter }) => `${ofClass(id)} && ${filter}`);
  const counts = [useHostCount(used ?? ''), useHostCount(pooled ?? ''), useHostCount(free ?? ''), useHostCount(failed ?? '')];
  const total = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  const shares = parts.flatMap(({ label, tone, filter }, index) => {
    const count = counts[index] ?? 0;
    return count === 0 ? [] : [{ label, tone, count, href: hostsHref(`${ofClass(id)} && ${filter}`) }];
  });
  if (counts.includes(undefined)) return <p className="empty-line">Asking for its hosts …</p>;
  return (
    <ShareBar
      title="Hosts"
      headline={`${formatInteger(counts[2] ?? 0)} of ${formatInteger(total)} free`}
      shares={shares}
      empty="No host is of this class."
    />
  );
}

const useHostCount = (filter: string): number | undefined => useObjects<ApiObject>(hostKind, { filter, limit: 0 }).data?.total;

/** How many hosts match, counted by the service. */
export function HostCount({ filter }: HostCountProps) {
  const total = useHostCount(filter);
  if (total === undefined) return <span className="dim">…</span>;
  return (
    <Link href={hostsHref(filter)} tabIndex={-1}>
      <Changing value={total}>{formatInteger(total)}</Changing>
    </Link>
  );
}
