import type { Tone } from '@quartermaster/api/states';
import { hostKind, listHref } from '../api/object-kind.ts';
import { classParts } from '../claims/class-stock.ts';
import { formatInteger } from '../model/amounts.ts';
import { useObjectCount } from '../objects/object-count.tsx';
import { ShareBar } from '../parts/plots/share-bar.tsx';

interface PartLook {
  readonly label: string;
  readonly tone: Tone;
  readonly filterOf: (id: string) => string;
}

// in the order in which they are drawn
const parts: readonly PartLook[] = [
  { label: 'in use', tone: 'allocated', filterOf: classParts.used },
  { label: 'in a pool', tone: 'reserved', filterOf: classParts.pooled },
  { label: 'free', tone: 'good', filterOf: classParts.free },
  { label: 'held back', tone: 'held', filterOf: classParts.withheld },
  { label: 'failed', tone: 'failed', filterOf: classParts.failed },
];

/** The hosts of a class by what became of them; each part is a link to the hosts that it counts. */
export function ClassBar({ id }: { readonly id: string }) {
  const free = useObjectCount(hostKind, classParts.free(id));
  const counts = [
    useObjectCount(hostKind, classParts.used(id)),
    useObjectCount(hostKind, classParts.pooled(id)),
    free,
    useObjectCount(hostKind, classParts.withheld(id)),
    useObjectCount(hostKind, classParts.failed(id)),
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
      headline={`${formatInteger(free ?? 0)} of ${formatInteger(total)} free`}
      shares={shares.filter(({ count }) => count > 0)}
      empty="No host is of this class."
    />
  );
}
