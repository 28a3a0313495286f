import { GpuState, type Reason, Sellability } from '@quartermaster/api/inventory';
import type { Paint } from '../text/paint.ts';
import { unknownText } from './amount-text.ts';

/** A state of a newer server is not known here either. */
export function sellabilityText(sellability: Sellability): string {
  if (sellability === Sellability.SELLABLE) return 'sellable';
  return sellability === Sellability.HELD_BACK ? 'held back' : 'unknown';
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
  if (state === GpuState.HEALTHY) return 'healthy';
  return state === GpuState.QUARANTINED ? 'quarantined' : unknownText;
}

/** `-` for none: a list that is known to be empty. */
export const listText = (items: readonly string[], separator = ', '): string => (items.length === 0 ? '-' : items.join(separator));
