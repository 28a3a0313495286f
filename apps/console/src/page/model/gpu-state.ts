import type { GpuView, SellState } from '@quartermaster/api/inventory-views';
import type { Tone } from './node-state.ts';

/** A sick card stays sick, whoever holds it; a free one is as good as its node. */
export function gpuTone({ state, holder }: Pick<GpuView, 'state' | 'holder'>, node: SellState): Tone {
  if (state === 'quarantined') return 'failed';
  if (node === 'unknown') return 'unknown';
  if (holder !== undefined) return 'allocated';
  return node === 'held-back' ? 'held' : 'good';
}

export function gpuWord({ state, holder }: Pick<GpuView, 'state' | 'holder'>, node: SellState): string {
  const health = state === 'unknown' ? 'health unknown' : state;
  if (state === 'quarantined') return holder === undefined ? 'in quarantine' : 'in quarantine, held';
  if (node === 'unknown') return `${health}, node silent`;
  if (holder !== undefined) return `${health}, held`;
  return node === 'held-back' ? `${health}, node held back` : `${health}, no holder known`;
}
