import type { NodeRow } from '@quartermaster/api/inventory-views';
import { isUsable } from '@quartermaster/api/inventory-views';

/** The five fills of the console, and plain for what needs none. The same everywhere: dots, bars, tables. */
export type Tone = 'allocated' | 'reserved' | 'good' | 'held' | 'failed' | 'unknown' | 'plain';

/** Ready is good, unless someone or something holds it back; of the others, the silent ones are unknown and the rest has failed. */
export function nodeTone(node: Pick<NodeRow, 'isReady' | 'state' | 'sale'>): Tone {
  if (node.sale?.state === 'unknown') return 'unknown';
  if (node.isReady) return isUsable(node) && node.sale?.state !== 'held-back' ? 'good' : 'held';
  return /unknown|stopped posting|no heartbeat|silent/i.test(node.state) ? 'unknown' : 'failed';
}

/** The state as the cluster has it, and what the inventory holds against the node where that is not the same. */
export function nodeWords({ isReady, state, sale }: Pick<NodeRow, 'isReady' | 'state' | 'sale'>): string {
  const isSaid = !isReady || !isUsable({ isReady, state });
  return sale === undefined || sale.state === 'sellable' || isSaid ? state : `${state}, held back: ${sale.why.join(', ')}`;
}

// phase of a pod -> its fill
const podTones: Readonly<Record<string, Tone>> = { Running: 'allocated', Pending: 'reserved', Failed: 'failed', Unknown: 'unknown' };

export const podTone = (phase: string): Tone => podTones[phase] ?? 'plain';
