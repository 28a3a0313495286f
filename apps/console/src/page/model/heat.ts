import type { NodeRow } from '@quartermaster/api/inventory-views';
import type { Fill } from '@quartermaster/api/states';
import { divisionOf, partsOf, totalOf } from './fill.ts';

/** By what the map of nodes is coloured. */
export const heatResources = ['gpu', 'cpu', 'memory', 'disk'] as const;
export type HeatResource = (typeof heatResources)[number];

/** One part of a cell. */
export interface HeatPart {
  readonly fill: Fill;
  /** Of the whole, in percent, as a whole number. */
  readonly percent: number;
  /** Where it begins, in percent from the bottom. */
  readonly from: number;
}

export const heatName: Readonly<Record<HeatResource, string>> = { gpu: 'GPUs', cpu: 'CPU', memory: 'memory', disk: 'ephemeral storage' };

/** As it stands in the address; anything else is what there is most to say about. */
export function parseHeat(text: string | null, hasGpus: boolean): HeatResource {
  return heatResources.find((name) => name === text) ?? (hasGpus ? 'gpu' : 'cpu');
}

/** How the cell of a node is filled, from the bottom up; nothing when it has none of the resource, or the inventory says nothing of it. */
export function heatOf({ sale }: Pick<NodeRow, 'sale'>, resource: HeatResource): readonly HeatPart[] {
  const division = sale && divisionOf(sale, resource);
  if (division === undefined) return [];
  const percentOf = (amount: number): number => Math.round((amount / totalOf(division)) * 100);
  let below = 0;
  return partsOf(division).map(({ fill, amount }) => {
    const from = percentOf(below);
    below += amount;
    return { fill, from, percent: percentOf(below) - from };
  });
}

const natural = new Intl.Collator('en', { numeric: true });

/** Nodes by rack, racks as a person counts them; those without one last. Nodes keep their order. */
export function byRack(nodes: readonly NodeRow[]): readonly (readonly [string, readonly NodeRow[]])[] {
  const racks = Map.groupBy(nodes, ({ rack }) => rack ?? '');
  return [...racks].toSorted(([a], [b]) => Number(a === '') - Number(b === '') || natural.compare(a, b));
}
