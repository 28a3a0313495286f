import type { Tone } from '@quartermaster/api/states';
import { hostKind, listHref } from '../api/object-kind.ts';
import { freeOfClass, ofClass, unassigned } from '../claims/class-stock.ts';
import { formatInteger } from '../model/amounts.ts';
import { useObjectCount } from '../objects/object-count.tsx';
import { ShareBar } from '../parts/plots/share-bar.tsx';

// what became of the hosts of a class, in the order in which they are drawn: each host is in one of them
const parts: readonly { readonly label: string; readonly tone: Tone; readonly filterOf: (id: string) => string }[] = [
  { label: 'in use', tone: 'allocated', filterOf: (id) => `${ofClass(id)} && this.status.cluster != ""` },
  {
    label: 'in a pool',
    tone: 'reserved',
    filterOf: (id) => `${ofClass(id)} && this.status.cluster == "" && this.status.host_pool != ""`,
  },
  { label: 'free', tone: 'good', filterOf: freeOfClass },
  { label: 'failed', tone: 'failed', filterOf: (id) => `${ofClass(id)} && ${unassigned} && this.status.state == HOST_STATE_FAILED` },
];

/** The hosts of a class by what became of them; each part is a link to the hosts that it counts. */
export function ClassBar({ id }: { readonly id: string }) {
  const [used = '', pooled = '', free = '', failed = ''] = parts.map(({ filterOf }) => filterOf(id));
  const counts = [
    useObjectCount(hostKind, used),
    useObjectCount(hostKind, pooled),
    useObjectCount(hostKind, free),
    useObjectCount(hostKind, failed),
  ];
  if (counts.includes(undefined)) return <p className="empty-line">Loading its hosts …</p>;
  const shares = parts.map(({ label, tone, filterOf }, index) => ({
    label,
    tone,
    count: counts[index] ?? 0,
    href: listHref(hostKind, filterOf(id)),
  }));
  const total = shares.reduce((sum, { count }) => sum + count, 0);
  return (
    <ShareBar
      title="Hosts"
      headline={`${formatInteger(counts[2] ?? 0)} of ${formatInteger(total)} free`}
      shares={shares.filter(({ count }) => count > 0)}
      empty="No host is of this class."
    />
  );
}
