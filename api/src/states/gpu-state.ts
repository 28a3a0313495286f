import { type Fill, fillTone, type SellState } from './fill.ts';
import type { State } from './state.ts';

/** What of a card its state is told by. */
export interface StatedGpu {
  readonly state: 'healthy' | 'quarantined' | 'unknown';
  /** Of the whole card. */
  readonly holder?: object | undefined;
  /** What a card is cut into, or who shares it: such a card is not sold as a whole. */
  readonly parts?: readonly { readonly holder?: object | undefined }[] | undefined;
}

const health: Readonly<Record<StatedGpu['state'], string>> = {
  healthy: 'Healthy',
  quarantined: 'In quarantine',
  unknown: 'Health unknown',
};

/** What a card counts as on a node that is such. */
export function gpuFill({ state, holder, parts = [] }: StatedGpu, node: SellState): Fill {
  if (node === 'unknown') return 'unknown';
  if (state === 'quarantined') return 'held-back';
  if (holder !== undefined) return 'allocated';
  return parts.length > 0 ? 'held-back' : node;
}

/** How a card is, and whether it can be sold. */
export const gpuState = (gpu: StatedGpu & { readonly fill: Fill }): State => ({
  word: `${health[gpu.state]}${saleWords(gpu)}`,
  tone: fillTone(gpu.fill),
});

function saleWords({ state, holder, parts = [], fill }: StatedGpu & { readonly fill: Fill }): string {
  if (fill === 'unknown') return ' when last known, node silent';
  if (holder !== undefined) return ', allocated';
  if (state === 'quarantined') return '';
  if (parts.length > 0) return `, in parts, ${parts.filter((part) => part.holder !== undefined).length} of ${parts.length} allocated`;
  return fill === 'held-back' ? ', node held back' : ', no holder known';
}
