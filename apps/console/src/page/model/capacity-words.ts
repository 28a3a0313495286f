import type { CapacityLine, Need, Withheld } from '@quartermaster/api/inventory-views';
import { fillTone, fillWord, reasonWords, type Tone } from '@quartermaster/api/states';
import { gpuHref, nodesHref, quoted, reservationsHref, storageHref } from './addresses.ts';
import { countOf, formatBytes, formatCores, formatInteger } from './amounts.ts';
import { partsOf } from './fill.ts';
import { type LineReserved, lessReserved } from './reserved.ts';

type Unit = CapacityLine['unit'];

const resourceNames: Readonly<Record<string, string>> = { gpu: 'GPUs', cpu: 'CPU cores', memory: 'Memory', disk: 'Ephemeral storage' };

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

/** The exact figure, for hovering. */
export const exactText = (unit: Unit, amount: number): string => `${formatInteger(amount)} ${unit}`;

/** One coloured part of a bar and where it leads. */
export interface Segment {
  readonly label: string;
  readonly amount: number;
  readonly tone: Tone;
  readonly href: string;
  /** On hover: the exact amount, and of what is reserved, how far it is. */
  readonly title: string;
}

/** The parts of a bar that are not empty, in the order in which they are drawn. */
export function segmentsOf(line: CapacityLine, reserved?: LineReserved): readonly Segment[] {
  return partsOf(lessReserved(line.division, reserved)).map(({ fill, amount }) => ({
    label: fillWord(fill),
    amount,
    tone: fillTone(fill),
    href: fill === 'reserved' ? reservationsHref : listHref(line, fill === 'allocated' ? '' : `sale:${fill}`),
    title: `${exactText(line.unit, amount)} ${fill === 'reserved' ? reservedTitle(line.unit, reserved) : fillWord(fill)}`,
  }));
}

/** `reserved: 16 devices pending, 8 devices active`. */
export function reservedTitle(unit: Unit, reserved: LineReserved): string {
  if (reserved === undefined || reserved === 'unknown') return 'reserved';
  const { pending, active } = reserved;
  return `reserved: ${exactText(unit, pending)} pending, ${exactText(unit, active)} active`;
}

/** The list behind a bar, narrowed down by a filter of nodes. */
export function listHref({ kind, name }: Pick<CapacityLine, 'kind' | 'name'>, filter: string): string {
  if (kind === 'class') return storageHref(name);
  if (kind === 'model') return filter === '' ? gpuHref(name) : nodesHref(`gpu:${quoted(name)} ${filter}`);
  return filter === '' ? '/pods' : nodesHref(filter);
}

/** The codes of what the inventory would sell and the cluster service does not: never, and now. */
export const headroomCode = 'Headroom';
export const keptCode = 'KeptByService';

/** Why an amount cannot be sold: `192 on 4 tainted nodes`. Without the amount where there is no other reason. */
export function withheldWords({ kind }: Pick<CapacityLine, 'kind'>, { code, nodes }: Withheld, amount: string): string {
  const withAmount = (text: string): string => (amount === '' ? text : `${amount} ${text}`);
  if (code === 'System') return withAmount(`reserved by ${kind === 'class' ? 'the backend' : 'kubelets'}`);
  if (code === 'Quarantined') return withAmount('in quarantine');
  if (code === headroomCode) return withAmount('as headroom');
  if (code === keptCode) return withAmount('not counted as free by the cluster service');
  if (code === 'Unexplained') return withAmount('without a reported reason');
  if (nodes === 0) return withAmount(reasonWords(code));
  return withAmount(`on ${nodesWords(code, nodes)}`);
}

/** Codes whose words stand before the nodes that they are about. */
const adjectives = new Set(['ReadyUnknown', 'Cordoned', 'Tainted', 'OverAllocated']);

/** `4 tainted nodes`, `1 node with disk pressure`. */
function nodesWords(code: string, nodes: number): string {
  const said = reasonWords(code);
  if (adjectives.has(code)) return countOf(nodes, `${said} node`);
  return `${countOf(nodes, 'node')} ${phrases.test(said) ? '' : 'with '}${said}`;
}

/** What is said of a node without a word between. */
const phrases = /^(?:with|not|excluded|full|whose) /;

/** What a need holds back: `8 GPUs, 96 cores`. */
export function heldWords({ gpus, cpuMillis, bytes }: Pick<Need, 'gpus' | 'cpuMillis' | 'bytes'>): string {
  const parts = [
    gpus === 0 ? '' : countOf(gpus, 'GPU'),
    cpuMillis === 0 ? '' : `${formatCores(cpuMillis)} cores`,
    bytes === 0 ? '' : formatBytes(bytes),
  ];
  return parts.filter((part) => part !== '').join(', ');
}
