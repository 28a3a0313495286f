import type { GpuView } from '@quartermaster/api/inventory-views';

/** How a card is, and whether it can be sold. */
export function gpuWord({ state, holder, fill }: Pick<GpuView, 'state' | 'holder' | 'fill'>): string {
  const health = state === 'unknown' ? 'health unknown' : state === 'quarantined' ? 'in quarantine' : state;
  if (fill === 'unknown') return `${health} when last known, node silent`;
  if (holder !== undefined) return `${health}, allocated`;
  if (state === 'quarantined') return health;
  return fill === 'held-back' ? `${health}, node held back` : `${health}, no holder known`;
}
