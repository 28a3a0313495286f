import { GpuState, type Reason, Sellability } from '@quartermaster/api/inventory';
import { unknownText } from './amount-text.ts';
import type { Paint } from './paint.ts';

export function sellabilityText(sellability: Sellability): string {
  switch (sellability) {
    case Sellability.SELLABLE:
      return 'sellable';
    case Sellability.HELD_BACK:
      return 'held back';
    case Sellability.UNKNOWN:
    case Sellability.UNSPECIFIED:
      return 'unknown';
  }
}

/** `sellable`, or the state with its first reason and how many more there are: `held back: Cordoned +1`. */
export function stateText(sellability: Sellability, reasons: readonly Reason[], paint: Paint): string {
  const [first, ...others] = reasons;
  const word = sellabilityText(sellability);
  const text = first === undefined ? word : `${word}: ${first.code}${others.length === 0 ? '' : ` +${others.length}`}`;
  if (sellability === Sellability.SELLABLE) return paint.good(text);
  return sellability === Sellability.HELD_BACK ? paint.warn(text) : paint.bad(text);
}

export function gpuStateText(state: GpuState): string {
  switch (state) {
    case GpuState.HEALTHY:
      return 'healthy';
    case GpuState.QUARANTINED:
      return 'quarantined';
    case GpuState.UNKNOWN:
    case GpuState.UNSPECIFIED:
      return unknownText;
  }
}

/** `-` for none: a list that is known to be empty. */
export const listText = (items: readonly string[], separator = ', '): string => (items.length === 0 ? '-' : items.join(separator));
