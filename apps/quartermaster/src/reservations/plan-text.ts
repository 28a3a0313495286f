import type { Plan, PlannedCards, PlannedReplica, PlannedUnit } from '@quartermaster/api/cluster';
import { quantityText, unknownText } from '../inventory/amount-text.ts';
import { listText, table } from '../text/table.ts';

/** Replicas of one unit on one node. */
interface Placed {
  readonly node: string;
  readonly unit: PlannedUnit;
  readonly replicas: readonly PlannedReplica[];
}

const header = ['NODE', 'UNIT', 'REPLICAS', 'CPU', 'MEMORY', 'EPHEMERAL', 'GPU', 'VOLUMES'];

/** Where everything goes, node by node: of each the amounts of all its replicas together. */
export function planText(plan: Plan, style: { readonly exact: boolean }): string {
  const rows = placedByNode(plan).map(({ node, unit, replicas }) => {
    const count = BigInt(replicas.length);
    const bytes = (value: bigint): string => quantityText(value * count, 'bytes', style);
    return [
      node,
      String(unit.id),
      String(replicas.length),
      quantityText(unit.cpuMillis * count, 'millicores', style),
      bytes(unit.memoryBytes),
      bytes(unit.ephemeralStorageBytes),
      listText(cardTexts(replicas)),
      listText(unit.volumes.map((volume) => `${volume.name} ${bytes(volume.bytes)} of ${volume.storageClass}`)),
    ];
  });
  return `${table(header, rows)}${endpointsText(plan)}`;
}

/** By name, each once. */
export const nodesOf = (plan: Plan | undefined): readonly string[] =>
  [...new Set((plan?.units ?? []).flatMap(({ replicas }) => replicas.map(({ node }) => node)))].toSorted();

export const replicasOf = (plan: Plan | undefined): number => (plan?.units ?? []).reduce((sum, { replicas }) => sum + replicas.length, 0);

function placedByNode({ units }: Plan): readonly Placed[] {
  const placed = units.flatMap((unit) =>
    [...Map.groupBy(unit.replicas, ({ node }) => node)].map(([node, replicas]) => ({ node, unit, replicas })),
  );
  return placed.toSorted((a, b) => (a.node === b.node ? a.unit.id - b.unit.id : a.node < b.node ? -1 : 1));
}

/** `4 × h100`, and which devices where a claim names them. */
function cardTexts(replicas: readonly PlannedReplica[]): readonly string[] {
  const cards = replicas.flatMap(({ cards: each }) => (each === undefined ? [] : [each]));
  return [...Map.groupBy(cards, modelText)].map(([models, alike]) => {
    const count = alike.reduce((sum, each) => sum + each.count, 0);
    const devices = alike.flatMap((each) => each.devices);
    return `${count} × ${models}${devices.length === 0 ? '' : ` (${devices.join(', ')})`}`;
  });
}

/** Where the device plugin picks, each card may be of any of the groups. */
function modelText({ groups, resource }: PlannedCards): string {
  const models = [...new Set(groups.map(({ model }) => (model === '' ? unknownText : model)))];
  return models.length === 0 ? resource : models.join(' or ');
}

function endpointsText({ ports, leasedIps }: Plan): string {
  const parts = [counted(ports, 'external port', 'external ports'), counted(leasedIps, 'leased address', 'leased addresses')];
  const given = parts.filter((part) => part !== undefined);
  return given.length === 0 ? '' : `Of the whole cluster: ${given.join(', ')}.\n`;
}

const counted = (count: number, one: string, many: string): string | undefined =>
  count === 0 ? undefined : `${count} ${count === 1 ? one : many}`;
