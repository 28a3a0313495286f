import type { AmountTuple, NodeRow } from '@quartermaster/api/inventory-views';
import { nodeTone, type Tone } from './node-state.ts';

/** By what the map of nodes is coloured. */
export const heatResources = ['gpu', 'cpu', 'memory', 'disk'] as const;
export type HeatResource = (typeof heatResources)[number];

/** One cell: how much of it is taken, and what the rest is. */
export interface Heat {
  /** Of 1; undefined when the node has none of the resource. */
  readonly taken: number | undefined;
  /** The fill of what is not taken. */
  readonly rest: Tone;
}

export const heatName: Readonly<Record<HeatResource, string>> = { gpu: 'GPUs', cpu: 'CPU', memory: 'memory', disk: 'disk' };

/** As it stands in the address; anything else is what there is most to say about. */
export function parseHeat(text: string | null, hasGpus: boolean): HeatResource {
  return heatResources.find((name) => name === text) ?? (hasGpus ? 'gpu' : 'cpu');
}

export function heatOf(node: NodeRow, resource: HeatResource): Heat {
  const rest = nodeTone(node);
  const use: AmountTuple | undefined = node.sale?.[resource];
  if (node.sale === undefined) return { taken: 0, rest };
  const [capacity, allocated] = use ?? [0, 0, 0];
  return { taken: capacity === 0 ? undefined : Math.min(Math.max(allocated / capacity, 0), 1), rest };
}

const natural = new Intl.Collator('en', { numeric: true });

/** Nodes by rack, racks as a person counts them; those without one last. Nodes keep their order. */
export function byRack(nodes: readonly NodeRow[]): readonly (readonly [string, readonly NodeRow[]])[] {
  const racks = Map.groupBy(nodes, ({ rack }) => rack ?? '');
  return [...racks].toSorted(([a], [b]) => Number(a === '') - Number(b === '') || natural.compare(a, b));
}
