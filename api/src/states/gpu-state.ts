import { type Fill, fillTone, type SellState } from './fill.ts';
import type { State } from './state.ts';

/** What of a card its state is told by. */
export interface StatedGpu {
  readonly state: 'healthy' | 'quarantined' | 'unknown';
  readonly holder?: object | undefined;
}

const health: Readonly<Record<StatedGpu['state'], string>> = {
  healthy: 'Healthy',
  quarantined: 'In quarantine',
  unknown: 'Health unknown',
};

/** What a card counts as on a node that is such. */
export function gpuFill({ state, holder }: StatedGpu, node: SellState): Fill {
  if (node === 'unknown') return 'unknown';
  if (state === 'quarantined') return 'held-back';
  if (holder !== undefined) return 'allocated';
  return node;
}

/** How a card is, and whether it can be sold. */
export const gpuState = (gpu: StatedGpu & { readonly fill: Fill }): State => ({
  word: `${health[gpu.state]}${saleWords(gpu)}`,
  tone: fillTone(gpu.fill),
});

function saleWords({ state, holder, fill }: StatedGpu & { readonly fill: Fill }): string {
  if (fill === 'unknown') return ' when last known, node silent';
  if (holder !== undefined) return ', allocated';
  if (state === 'quarantined') return '';
  return fill === 'held-back' ? ', node held back' : ', no holder known';
}
