import type { GpuView, SellState } from '../../inventory-source.ts';
import { cardFill, fillTone } from './fill.ts';
import type { Tone } from './node-state.ts';

export const gpuTone = (gpu: Pick<GpuView, 'state' | 'holder'>, node: SellState): Tone => fillTone(cardFill(gpu, node));

export function gpuWord({ state, holder }: Pick<GpuView, 'state' | 'holder'>, node: SellState): string {
  const health = state === 'unknown' ? 'health unknown' : state === 'quarantined' ? 'in quarantine' : state;
  if (node === 'unknown') return `${health} when last known, node silent`;
  if (state === 'quarantined') return holder === undefined ? health : `${health}, allocated`;
  if (holder !== undefined) return `${health}, allocated`;
  return node === 'held-back' ? `${health}, node held back` : `${health}, no holder known`;
}
