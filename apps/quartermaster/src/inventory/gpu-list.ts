import { toJson } from '@bufbuild/protobuf';
import {
  type Amount,
  AmountSchema,
  type GpuDevice,
  GpuDeviceSchema,
  type GpuGroup,
  type Node,
  type Snapshot,
  SnapshotSchema,
} from '@quartermaster/api/inventory';
import { addDivisions, type Division, divideAmount, noDivision, reasonWords, sickCards } from '@quartermaster/api/states';
import type { Listing, ListingRow, ListView, Look } from '../text/listing.ts';
import { stateText } from '../text/state-text.ts';
import { reservationsNote, sizeText, unknownText } from './amount-text.ts';
import { staleText } from './freshness-text.ts';
import { sellState, statedGpu, stateOfGpu } from './inventory-states.ts';

/** GPUs of one model, memory and interface over the whole cluster. */
interface GpuModel {
  /** `vendor/model/interface/memory`. */
  readonly key: string;
  readonly sellable: Amount | undefined;
  readonly heldBack: Amount | undefined;
  readonly unknown: Amount | undefined;
  readonly division: Division;
}

/** GPUs by model or, wide, one by one. */
export function gpuView(): ListView<Snapshot> {
  return {
    list: (snapshot, look): Listing => {
      const legend = look.wide || modelsOf(snapshot).length === 0 ? '' : `${look.paint.dim(reservationsNote)}\n`;
      const notes = [`${legend}${staleText(snapshot.completeness, look.now)}`].filter((note) => note !== '');
      const whenEmpty = look.wide ? 'No single GPUs are known: no agent and no driver reports any.' : 'The cluster has no GPUs.';
      if (!look.wide) return { header: modelHeader, rows: modelsOf(snapshot).map(modelRow), whenEmpty, notes };
      const rows = snapshot.nodes.flatMap((node) =>
        node.devices.flatMap((device) => [deviceRow(node, device, look), ...partRows(node, device, look)]),
      );
      return { header: deviceHeader, rows, whenEmpty, notes };
    },
    document: (snapshot) => {
      const bare = { ...snapshot, nodes: [], storage: [] };
      const {
        nodes: _nodes,
        storage: _storage,
        totals: _totals,
        ...head
      } = toJson(SnapshotSchema, bare, { alwaysEmitImplicit: true }) as Readonly<Record<string, unknown>>;
      return { ...head, models: modelsOf(snapshot).map(modelJson), devices: [...deviceObjects(snapshot).values()] };
    },
    objects: (snapshot) =>
      new Map<string, unknown>([...modelsOf(snapshot).map((model) => [model.key, modelJson(model)] as const), ...deviceObjects(snapshot)]),
  };
}

const gib = 1024n ** 3n;
const modelHeader = ['MODEL', 'VENDOR', 'MEMORY', 'INTERFACE', 'TOTAL', 'SELLABLE', 'ALLOCATED', 'HELD BACK', 'UNKNOWN'];
const deviceHeader = ['NODE', 'ID', 'MODEL', 'MEMORY', 'INTERFACE', 'ARCHITECTURE', 'COMPUTE', 'STATE', 'REASON', 'HOLDER'];

function modelsOf({ totals, nodes }: Snapshot): readonly GpuModel[] {
  const [sellable = {}, heldBack = {}, unknown = {}] = [totals?.sellable?.gpus, totals?.heldBack?.gpus, totals?.unknown?.gpus];
  const keys = new Set([sellable, heldBack, unknown].flatMap((share) => Object.keys(share)));
  const divisions = Map.groupBy(nodes.flatMap(divisionsOf), ([key]) => key);
  return [...keys].toSorted().map((key) => ({
    key,
    sellable: sellable[key],
    heldBack: heldBack[key],
    unknown: unknown[key],
    division: (divisions.get(key) ?? []).map(([, division]) => division).reduce(addDivisions, noDivision),
  }));
}

function divisionsOf({ sellability, gpus, devices }: Node): readonly (readonly [string, Division])[] {
  const cards = Map.groupBy(devices, keyOf);
  return [...Map.groupBy(gpus, keyOf)].map(([key, groups]) => {
    const sick = sickCards((cards.get(key) ?? []).map(statedGpu));
    return [key, divideAmount(countOf(groups), sellState(sellability), sick)] as const;
  });
}

function countOf(groups: readonly GpuGroup[]): Parameters<typeof divideAmount>[0] {
  const sum = (count: (amount: Amount) => bigint): number =>
    groups.reduce((total, { amount }) => total + Number(amount === undefined ? 0n : count(amount)), 0);
  return { capacity: sum((each) => each.capacity), allocated: sum((each) => each.allocated), available: sum((each) => each.available) };
}

/** As totals name it. */
const keyOf = ({ vendor, model, interface: bus, memoryBytes }: Pick<GpuDevice, 'vendor' | 'model' | 'interface' | 'memoryBytes'>): string =>
  `${vendor}/${model}/${bus}/${(memoryBytes + gib / 2n) / gib}Gi`;

/** Divided as the console divides them, node by node. The parts add up to the total; what is promised beyond what can be had is said beside what is allocated. */
function modelRow({ key, sellable, heldBack, division }: GpuModel): ListingRow {
  const [vendor = '', model = '', bus = '', memory = ''] = key.split('/');
  const over = (sellable?.overcommitted ?? 0n) + (heldBack?.overcommitted ?? 0n);
  const total = division.allocated + division.sellable + division.heldBack + division.unknown;
  return {
    key,
    cells: [
      model,
      vendor,
      memory === '' || memory === '0Gi' ? unknownText : memory.replace(/Gi$/, ' GiB'),
      bus === '' ? unknownText : bus,
      `${total}`,
      `${division.sellable}`,
      `${division.allocated}${over === 0n ? '' : ` (${over} over)`}`,
      `${division.heldBack}`,
      `${division.unknown}`,
    ],
  };
}

function deviceRow(node: Node, device: GpuDevice, look: Look): ListingRow {
  return {
    key: device.id,
    cells: [
      node.name,
      device.id,
      device.model,
      sizeText(device.memoryBytes, look),
      device.interface === '' ? unknownText : device.interface,
      device.architecture ?? unknownText,
      device.computeCapability ?? unknownText,
      stateText(stateOfGpu(device, node), look.paint),
      device.reason === undefined ? '-' : reasonWords(device.reason.code),
      holderText(device, node),
    ],
  };
}

/** Below its card, each part that pods can have by itself. */
function partRows(
  node: Node,
  { model, interface: bus, architecture, computeCapability, parts }: GpuDevice,
  look: Look,
): readonly ListingRow[] {
  return parts.map(({ id, profile, memoryBytes, holder }) => ({
    key: id,
    cells: [
      node.name,
      `  ${id}`,
      `${model} ${profile === '' ? 'share' : profile}`,
      memoryBytes === 0n ? unknownText : sizeText(memoryBytes, look),
      bus === '' ? unknownText : bus,
      architecture ?? unknownText,
      computeCapability ?? unknownText,
      holder === undefined ? 'No holder known' : 'Allocated',
      '-',
      holder === undefined ? '-' : `${holder.namespace}/${holder.pod}`,
    ],
  }));
}

/** `-` only where it is certain that nobody has it: pods may hold cards of this kind without anybody knowing which. */
export function holderText(device: GpuDevice, { gpus, devices }: Pick<Node, 'gpus' | 'devices'>): string {
  const { holder, parts } = device;
  if (parts.length > 0) return 'in parts';
  if (holder !== undefined) return `${holder.namespace}/${holder.pod}`;
  const isAlike = (each: Pick<GpuDevice, 'vendor' | 'model' | 'interface' | 'memoryBytes'>): boolean =>
    each.vendor === device.vendor &&
    each.model === device.model &&
    each.interface === device.interface &&
    each.memoryBytes === device.memoryBytes;
  const held = devices.filter((each) => each.holder !== undefined && isAlike(each)).length;
  const allocated = gpus.filter(isAlike).reduce((sum, { amount }) => sum + (amount?.allocated ?? 0n), 0n);
  return allocated > BigInt(held) ? unknownText : '-';
}

function deviceObjects({ nodes }: Snapshot): ReadonlyMap<string, unknown> {
  return new Map(
    nodes.flatMap(({ name, devices }) =>
      devices.map((device) => {
        const json = toJson(GpuDeviceSchema, device, { alwaysEmitImplicit: true }) as Readonly<Record<string, unknown>>;
        return [device.id, { node: name, ...json }] as const;
      }),
    ),
  );
}

function modelJson({ key, sellable, heldBack, unknown }: GpuModel): unknown {
  const share = (amount: Amount | undefined): unknown => amount && toJson(AmountSchema, amount, { alwaysEmitImplicit: true });
  const [vendor = '', model = '', bus = ''] = key.split('/');
  return {
    key,
    vendor,
    model,
    interface: bus,
    sellable: share(sellable),
    heldBack: share(heldBack),
    unknown: share(unknown),
  };
}
