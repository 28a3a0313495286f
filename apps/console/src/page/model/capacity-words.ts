import type { CapacityLine, Need, Withheld } from '@quartermaster/api/inventory-views';
import { gpuHref, nodesHref, quoted, storageHref } from './addresses.ts';
import { countOf, formatBytes, formatBytesOf, formatCores, formatInteger } from './amounts.ts';
import type { Tone } from './node-state.ts';

type Unit = CapacityLine['unit'];

const resourceNames: Readonly<Record<string, string>> = { gpu: 'GPUs', cpu: 'CPU cores', memory: 'Memory', disk: 'Node disks' };

export const lineName = ({ kind, name }: Pick<CapacityLine, 'kind' | 'name'>): string =>
  kind === 'resource' ? (resourceNames[name] ?? name) : name;

export function amountText(unit: Unit, amount: number): string {
  switch (unit) {
    case 'devices':
      return formatInteger(amount);
    case 'millicores':
      return formatCores(amount);
    case 'bytes':
      return formatBytes(amount);
  }
}

/** `312 of 640`, `5.2 of 8 TiB`. */
export function partText(unit: Unit, part: number, total: number): string {
  return unit === 'bytes' ? formatBytesOf(part, total) : `${amountText(unit, part)} of ${amountText(unit, total)}`;
}

/** The exact figure, for hovering. */
export const exactText = (unit: Unit, amount: number): string => `${formatInteger(amount)} ${unit}`;

export const totalOf = ({ division: { allocated, sellable, heldBack, unknown } }: Pick<CapacityLine, 'division'>): number =>
  allocated + sellable + heldBack + unknown;

/** One coloured part of a bar and where it leads. */
export interface Segment {
  readonly label: string;
  readonly amount: number;
  readonly tone: Tone;
  readonly href: string;
}

/** The parts of a bar that are not empty, in the order in which they are drawn. */
export function segmentsOf(line: CapacityLine): readonly Segment[] {
  const { allocated, sellable, heldBack, unknown } = line.division;
  const parts: readonly Segment[] = [
    { label: 'allocated', amount: allocated, tone: 'allocated', href: listHref(line, '') },
    { label: 'sellable', amount: sellable, tone: 'good', href: listHref(line, 'sale:sellable') },
    { label: 'held back', amount: heldBack, tone: 'held', href: listHref(line, 'sale:held-back') },
    { label: 'unknown', amount: unknown, tone: 'unknown', href: listHref(line, 'sale:unknown') },
  ];
  return parts.filter(({ amount }) => amount > 0);
}

/** The list behind a bar, narrowed down by a filter of nodes. */
function listHref({ kind, name }: CapacityLine, filter: string): string {
  if (kind === 'class') return storageHref(name);
  if (kind === 'model') return filter === '' ? gpuHref(name) : nodesHref(`gpu:${quoted(name)} ${filter}`);
  return filter === '' ? '/pods' : nodesHref(filter);
}

/** Why a part is held back, in words, with the list of what it is about: `3 nodes cordoned`. */
export function withheldWords(line: CapacityLine, { code, nodes, amount }: Withheld): { readonly text: string; readonly href: string } {
  if (code === 'System') return { text: `${amountText(line.unit, amount)} reserved by the nodes`, href: nodesHref('sale:sellable') };
  if (code === 'Quarantined') return { text: `${countOf(amount, 'card')} in quarantine`, href: listHref(line, 'why:quarantined') };
  if (line.kind === 'class') return { text: reasonWords(code), href: storageHref(line.name) };
  return { text: `${countOf(nodes, 'node')} ${reasonWords(code)}`, href: listHref(line, `why:${code}`) };
}

const words: Readonly<Record<string, string>> = {
  ReadyUnknown: 'silent',
  NotReady: 'not ready',
  Cordoned: 'cordoned',
  Tainted: 'tainted',
  Excluded: 'excluded by the configuration',
  OverAllocated: 'over-allocated',
  PodsFull: 'full of pods',
  MemoryVolumes: 'with volumes in memory',
  LocalVolumes: 'with volumes on their disk',
  NotOffered: 'with cards that the kubelet does not offer',
};

/** `DiskPressure` -> `disk pressure`: codes are for programs. */
export const reasonWords = (code: string): string =>
  words[code] ??
  code
    .replaceAll(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, (_all, before = '', after = '', last = '') => `${before}${last} ${after}`)
    .replaceAll(/\b([A-Z])(?=[a-z])/g, (letter) => letter.toLowerCase());

/** What a need holds back: `8 GPUs, 96 cores`. */
export function heldWords({ gpus, cpuMillis, bytes }: Pick<Need, 'gpus' | 'cpuMillis' | 'bytes'>): string {
  const parts = [
    gpus === 0 ? '' : countOf(gpus, 'GPU'),
    cpuMillis === 0 ? '' : `${formatCores(cpuMillis)} cores`,
    bytes === 0 ? '' : formatBytes(bytes),
  ];
  return parts.filter((part) => part !== '').join(', ');
}
