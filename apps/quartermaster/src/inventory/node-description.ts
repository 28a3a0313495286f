import {
  type Allocation,
  type Completeness,
  GpuIdentification,
  type Node,
  type Reason,
  type StorageClass,
} from '@quartermaster/api/inventory';
import { type Look, listingText } from '../text/listing.ts';
import { stateText } from '../text/state-text.ts';
import { indented, table } from '../text/table.ts';
import { allocationView } from './allocation-list.ts';
import { partText, quantityText, sizeText, type Unit, unknownText } from './amount-text.ts';
import { amountCells, amountHeader } from './explanation-text.ts';
import { ageText, silentText, sinceText } from './freshness-text.ts';
import { gpuDetailsText } from './gpu-details.ts';
import { holderText } from './gpu-list.ts';
import { hardwareSections } from './hardware-text.ts';
import { isDiskKnown, sellState, stateOfGpu, stateOfNode } from './inventory-states.ts';

export interface DescribedNode {
  readonly node: Node;
  /** Of the classes that can be used on it. */
  readonly storage: readonly StorageClass[];
  readonly allocations: readonly Allocation[];
  /** Of the whole inventory. */
  readonly completeness?: Completeness | undefined;
}

/** Everything about one node. */
export function nodeDescription({ node, storage, allocations, completeness }: DescribedNode, look: Look): string {
  const classes = storage.filter(({ name, perNode }) => node.storageClasses.includes(name) || perNode[node.name] !== undefined);
  const sections: readonly (readonly [string, string])[] = [
    ['Stale sources', [...node.stale, ...(completeness?.stale ?? [])].map((each) => silentText(each, look.now)).join('')],
    ['Why it is not sellable', reasonsText(node.reasons, look)],
    ['Conditions', reasonsText(node.conditions, look)],
    ['Amounts', amountsText(node, look)],
    ['Utilization', utilizationText(node, look)],
    ['GPUs', devicesText(node, look)],
    ['GPU details', gpuDetailsText(node)],
    ['Storage', storageText(node.name, classes, look)],
    ...hardwareSections(node.hardware, look),
    ['What the agent could not read', (node.hardware?.problems ?? []).map((problem) => `${problem}\n`).join('')],
    ['Allocations', listingText(allocationView().list(allocations, { ...look, wide: false }))],
  ];
  const head = table(
    ['Node', node.name],
    [
      ['UID', node.uid],
      ['State', stateText(stateOfNode(node), look.paint)],
      ['Pods', node.podLimit === undefined ? node.pods.toString() : `${node.pods} of ${node.podLimit}`],
      ['Changed', node.observedAt === undefined ? unknownText : `${ageText(node.observedAt, look.now)} ago`],
    ],
  );
  const texts = sections.flatMap(([title, text]) => (text === '' ? [] : [`${title}\n${indented(text)}`]));
  return [head, ...texts].join('\n');
}

function reasonsText(reasons: readonly Reason[], { now }: Look): string {
  return reasons.map((reason) => `${reason.code}${sinceText(reason, now)}: ${reason.message}\n`).join('');
}

function amountsText(node: Node, look: Look): string {
  const style = { exact: look.exact, isKnown: sellState(node.sellability) !== 'unknown' };
  const row = (name: string, unit: Unit, amount: Node['cpu'], isKnown = style.isKnown): readonly string[] => [
    name,
    ...amountCells(amount, unit, { ...style, isKnown }),
  ];
  const rows = [
    row('CPU', 'millicores', node.cpu),
    row('memory', 'bytes', node.memory),
    row('ephemeral storage', 'bytes', node.ephemeralStorage, isDiskKnown(node)),
    ...node.gpus.map((group) => {
      const parts = [group.vendor, group.model, group.interface, group.memoryBytes === 0n ? '' : sizeText(group.memoryBytes, look)];
      return row(parts.filter((part) => part !== '').join(' '), 'devices', group.amount);
    }),
    ...Object.entries(node.extended)
      .filter(([, { capacity, allocated }]) => capacity > 0n || allocated > 0n)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, amount]) => row(name, name.startsWith('hugepages-') ? 'bytes' : 'devices', amount)),
  ];
  const ram = node.ram === 0n ? '' : `${quantityText(node.ram, 'bytes', look)} of memory is reserved for memory-backed volumes.\n`;
  const reserved = `Reservations are not taken off: "quartermaster get reservations --node ${node.name}" lists those on it.\n`;
  return `${table(['RESOURCE', ...amountHeader], rows)}${ram}${reserved}`;
}

function utilizationText({ utilization, cpu, memory }: Node, look: Look): string {
  if (utilization === undefined) return `${unknownText}: the cluster measures no use of this node\n`;
  const cpuText = partText(utilization.cpuMillis, cpu?.capacity ?? 0n, 'millicores', look);
  const memoryText = partText(utilization.memoryBytes, memory?.capacity ?? 0n, 'bytes', look);
  return `CPU ${cpuText} ${look.exact ? 'millicores' : 'cores'}, memory ${memoryText}, to within 1 % of the node\n`;
}

const identifications: Readonly<Partial<Record<GpuIdentification, string>>> = {
  [GpuIdentification.OVERRIDE]: 'override',
  [GpuIdentification.DATABASE]: 'database',
  [GpuIdentification.DRIVER]: 'driver',
  [GpuIdentification.LABELS]: 'labels',
  [GpuIdentification.PCI_IDS]: 'pci.ids',
};

function devicesText(node: Node, look: Look): string {
  const { devices } = node;
  if (devices.length === 0) return '';
  const rows = devices.map((device) => [
    device.id,
    [device.vendor, device.model, device.interface].filter((part) => part !== '').join(' '),
    sizeText(device.memoryBytes, look),
    device.pciAddress ?? unknownText,
    identifications[device.identifiedBy] ?? unknownText,
    stateText(stateOfGpu(device, node), look.paint),
    holderText(device, node),
    device.utilization === undefined ? unknownText : `${Math.round(device.utilization)} %`,
    device.driverVersion ?? unknownText,
    device.cudaVersion ?? unknownText,
  ]);
  const header = ['ID', 'MODEL', 'MEMORY', 'PCI', 'KNOWN BY', 'STATE', 'HOLDER', 'USED', 'DRIVER', 'CUDA'];
  const quarantines = devices.flatMap(({ id, reason }) =>
    reason === undefined ? [] : [`${id}: ${reason.code}${sinceText(reason, look.now)}: ${reason.message}\n`],
  );
  return `${table(header, rows)}${quarantines.join('')}`;
}

function storageText(node: string, classes: readonly StorageClass[], look: Look): string {
  if (classes.length === 0) return 'no class that is offered can be used on this node\n';
  return table(
    ['CLASS', 'WHERE', ...amountHeader, 'OFFERED'],
    classes.map(({ name, nodeLocal, perNode, amount, refusal }) => [
      name,
      nodeLocal ? 'this node' : 'cluster',
      ...amountCells(nodeLocal ? perNode[node] : amount, 'bytes', look),
      refusal === undefined ? 'yes' : `no: ${refusal.code}`,
    ]),
  );
}
