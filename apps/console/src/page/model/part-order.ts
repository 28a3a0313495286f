import type { Tone } from '@quartermaster/api/states';
import type { ConsolePart, PartState } from '../../installation-view.ts';

// state of a part -> its fill, in the order in which they need a person
const tones: Readonly<Record<PartState, Tone>> = {
  failed: 'failed',
  degraded: 'held',
  stopped: 'unknown',
  starting: 'reserved',
  ready: 'good',
};
const states = Object.keys(tones);

/** Sorted by how much they need a person; parts of one state keep the order in which they were started. */
export function sortParts(parts: readonly ConsolePart[]): readonly ConsolePart[] {
  return parts.toSorted((a, b) => states.indexOf(a.state) - states.indexOf(b.state));
}

export const partTone = (state: PartState): Tone => tones[state];

/** `4 of 5 parts ready`, or that all are. */
export function partsHeadline(parts: readonly ConsolePart[]): string {
  const ready = parts.filter((part) => part.state === 'ready').length;
  if (parts.length === 0) return 'nothing has been started yet';
  return ready === parts.length ? `all ${parts.length} ready` : `${ready} of ${parts.length} ready`;
}
