import { toJson } from '@bufbuild/protobuf';
import { type GpuGroup, GpuState, type Node, NodeSchema, type Snapshot, SnapshotSchema } from '@quartermaster/api/inventory';
import type { Listing, ListView, Look } from '../text/listing.ts';
import { stateText } from '../text/state-text.ts';
import { listText } from '../text/table.ts';
import { quantityText, reservationsNote, tripleText, unknownText } from './amount-text.ts';
import { ageText, staleText } from './freshness-text.ts';
import { isDiskKnown, sellState, stateOfNode } from './inventory-states.ts';
import { sumOf, totalsText } from './totals-text.ts';

const header = ['NAME', 'STATE', 'CPU', 'MEMORY', 'EPHEMERAL', 'GPU', 'STORAGE'];
const wideHeader = [...header, 'PODS', 'REASONS', 'CONDITIONS', 'CPU USED', 'MEMORY USED', 'GPU HEALTH', 'HARDWARE READ', 'SEEN'];
/** Slices and shares of cards, by device plugins and by drivers of dynamic resource allocation. */
const sliceResource = /^(?:nvidia\.com\/(?:mig-|gpu)|amd\.com\/|gpu\.(?:nvidia|amd|intel)\.com\/)/;

/** Nodes; all of them, or those of the given names. */
export function nodeView(names: readonly string[]): ListView<Snapshot> {
  const wanted = new Set(names);
  const shown = ({ nodes }: Snapshot): readonly Node[] => (wanted.size === 0 ? nodes : nodes.filter(({ name }) => wanted.has(name)));
  return {
    list: (snapshot, look): Listing => ({
      header: look.wide ? wideHeader : header,
      rows: shown(snapshot).map((node) => ({ key: node.name, cells: look.wide ? wideCells(node, look) : cellsOf(node, look) })),
      whenEmpty: wanted.size === 0 ? 'The cluster has no nodes.' : `No match for ${names.join(', ')} in the names of nodes.`,
      notes: [
        ...(wanted.size === 0 && snapshot.totals !== undefined ? [totalsText(snapshot.totals, look)] : []),
        `${legend(look)}${staleText(snapshot.completeness, look.now)}`,
      ],
    }),
    document: (snapshot) => {
      const part = { ...snapshot, nodes: [...shown(snapshot)], storage: [] };
      const json = toJson(SnapshotSchema, part, { alwaysEmitImplicit: true }) as Readonly<Record<string, unknown>>;
      const { storage: _none, totals: _ofAll, ...rest } = json;
      return wanted.size === 0 ? { ...rest, totals: json['totals'] } : rest;
    },
    objects: (snapshot) => new Map(shown(snapshot).map((node) => [node.name, toJson(NodeSchema, node, { alwaysEmitImplicit: true })])),
  };
}

function legend({ exact, paint }: Look): string {
  const measures = exact ? ', in millicores, bytes and devices' : '';
  return `${paint.dim(`Amounts are total/allocated/free${measures}. ${reservationsNote}`)}\n`;
}

function cellsOf(node: Node, look: Look): readonly string[] {
  const style = { exact: look.exact, isKnown: sellState(node.sellability) !== 'unknown' };
  return [
    node.name,
    stateText(stateOfNode(node), look.paint),
    tripleText(node.cpu, 'millicores', style),
    tripleText(node.memory, 'bytes', style),
    tripleText(node.ephemeralStorage, 'bytes', { ...style, isKnown: isDiskKnown(node) }),
    listText([...byModel(node.gpus), ...slicesOf(node)].map(([model, amount]) => `${model} ${tripleText(amount, 'devices', style)}`)),
    listText(node.storageClasses, ','),
  ];
}

function wideCells(node: Node, look: Look): readonly string[] {
  const { utilization } = node;
  return [
    ...cellsOf(node, look),
    node.pods.toString(),
    listText(node.reasons.map(({ code }) => code)),
    listText([...new Set(node.conditions.map(({ code }) => code))]),
    utilization === undefined ? unknownText : quantityText(utilization.cpuMillis, 'millicores', look),
    utilization === undefined ? unknownText : quantityText(utilization.memoryBytes, 'bytes', look),
    devicesText(node),
    ageText(node.hardware?.observedAt, look.now),
    ageText(node.observedAt, look.now),
  ];
}

function byModel(groups: readonly GpuGroup[]) {
  const models = new Map<string, GpuGroup['amount']>(); // model -> cards of this node
  for (const { model, amount } of groups) {
    const known = models.get(model);
    models.set(model, amount === undefined ? known : sumOf(known, amount));
  }
  return [...models];
}

/** What of GPUs is sold by another name than the card: `nvidia.com/mig-1g.10gb` -> `mig-1g.10gb`. */
function slicesOf({ extended }: Node): readonly (readonly [string, GpuGroup['amount']])[] {
  return Object.entries(extended)
    .filter(([resource]) => sliceResource.test(resource))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([resource, amount]) => [resource.slice(resource.indexOf('/') + 1), amount]);
}

const healths: readonly (readonly [GpuState, string])[] = [
  [GpuState.HEALTHY, 'healthy'],
  [GpuState.QUARANTINED, 'in quarantine'],
  [GpuState.UNKNOWN, 'of unknown health'],
];

/** `7 healthy, 1 in quarantine`. */
function devicesText({ devices }: Node): string {
  const counts = healths.map(([state, words]) => [devices.filter((device) => device.state === state).length, words] as const);
  return listText(counts.flatMap(([count, words]) => (count === 0 ? [] : [`${count} ${words}`])));
}
