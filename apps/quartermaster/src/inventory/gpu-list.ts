import { toJson } from '@bufbuild/protobuf';
import {
  type Amount,
  AmountSchema,
  type GpuDevice,
  GpuDeviceSchema,
  GpuState,
  type Node,
  type Snapshot,
  SnapshotSchema,
} from '@quartermaster/api/inventory';
import { reasonWords } from '@quartermaster/api/states';
import type { Listing, ListingRow, ListView, Look } from '../text/listing.ts';
import { stateText } from '../text/state-text.ts';
import { sizeText, unknownText } from './amount-text.ts';
import { staleText } from './freshness-text.ts';
import { sellState, stateOfGpu } from './inventory-states.ts';

/** GPUs of one model, memory and interface over the whole cluster. */
interface GpuModel {
  /** `vendor/model/interface/memory`. */
  readonly key: string;
  readonly sellable: Amount | undefined;
  readonly heldBack: Amount | undefined;
  readonly unknown: Amount | undefined;
  /** Cards in quarantine that somebody has: they are held back, and allocated no more. */
  readonly sickHeld: bigint;
}

/** GPUs by model or, wide, one by one. */
export function gpuView(): ListView<Snapshot> {
  return {
    list: (snapshot, look): Listing => {
      const notes = [staleText(snapshot.completeness, look.now)].filter((note) => note !== '');
      const whenEmpty = look.wide ? 'No single GPUs are known: no agent and no driver reports any.' : 'The cluster has no GPUs.';
      if (!look.wide) return { header: modelHeader, rows: modelsOf(snapshot).map(modelRow), whenEmpty, notes };
      const rows = snapshot.nodes.flatMap((node) => node.devices.map((device) => deviceRow(node, device, look)));
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
const deviceHeader = ['NODE', 'ID', 'MODEL', 'MEMORY', 'INTERFACE', 'STATE', 'REASON', 'HOLDER'];

function modelsOf({ totals, nodes }: Snapshot): readonly GpuModel[] {
  const [sellable = {}, heldBack = {}, unknown = {}] = [totals?.sellable?.gpus, totals?.heldBack?.gpus, totals?.unknown?.gpus];
  const keys = new Set([sellable, heldBack, unknown].flatMap((share) => Object.keys(share)));
  const sick = Map.groupBy(nodes.flatMap(heldInQuarantine), keyOf);
  return [...keys].toSorted().map((key) => ({
    key,
    sellable: sellable[key],
    heldBack: heldBack[key],
    unknown: unknown[key],
    sickHeld: BigInt(sick.get(key)?.length ?? 0),
  }));
}

const heldInQuarantine = ({ sellability, devices }: Node): readonly GpuDevice[] =>
  sellState(sellability) === 'unknown' ? [] : devices.filter(({ state, holder }) => state === GpuState.QUARANTINED && holder !== undefined);

/** As totals name it. */
const keyOf = ({ vendor, model, interface: bus, memoryBytes }: GpuDevice): string =>
  `${vendor}/${model}/${bus}/${(memoryBytes + gib / 2n) / gib}Gi`;

/**
 * Divided as the console divides them: unknown before held back, held back before allocated, allocated before sellable. The parts add up to the total;
 * what is promised beyond it is said beside what is allocated.
 */
function modelRow({ key, sellable, heldBack, unknown, sickHeld }: GpuModel): ListingRow {
  const [vendor = '', model = '', bus = '', memory = ''] = key.split('/');
  const shares = [sellable, heldBack].filter((share) => share !== undefined);
  const known = shares.reduce((sum, share) => sum + share.capacity, 0n);
  const over = shares.reduce((sum, share) => sum + share.overcommitted, 0n);
  const free = sellable?.available ?? 0n;
  const allocated = clamped(shares.reduce((sum, share) => sum + share.allocated, 0n) - over - sickHeld, known - free);
  const outOfSight = unknown?.capacity ?? 0n;
  return {
    key,
    cells: [
      model,
      vendor,
      memory === '' || memory === '0Gi' ? unknownText : memory.replace(/Gi$/, ' GiB'),
      bus === '' ? unknownText : bus,
      (known + outOfSight).toString(),
      free.toString(),
      `${allocated}${over === 0n ? '' : ` (${over} over)`}`,
      (known - free - allocated).toString(),
      outOfSight.toString(),
    ],
  };
}

const clamped = (value: bigint, most: bigint): bigint => (value < 0n ? 0n : value > most ? most : value);

function deviceRow(node: Node, device: GpuDevice, look: Look): ListingRow {
  return {
    key: device.id,
    cells: [
      node.name,
      device.id,
      device.model,
      sizeText(device.memoryBytes, look),
      device.interface === '' ? unknownText : device.interface,
      stateText(stateOfGpu(device, node), look.paint),
      device.reason === undefined ? '-' : reasonWords(device.reason.code),
      holderText(device, node),
    ],
  };
}

/** `-` only where it is certain that nobody has it: pods may hold cards of this kind without anybody knowing which. */
export function holderText(device: GpuDevice, { gpus, devices }: Pick<Node, 'gpus' | 'devices'>): string {
  const { holder } = device;
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
