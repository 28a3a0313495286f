import type { ConsolePart, PartState } from '../../console-source.ts';
import type { Tone } from './node-state.ts';

// what needs a person first
const states: readonly PartState[] = ['failed', 'degraded', 'stopped', 'starting', 'ready'];

/** Sorted by how much they need a person; parts of one state keep the order in which they were started. */
export function sortParts(parts: readonly ConsolePart[]): readonly ConsolePart[] {
  return parts.toSorted((a, b) => states.indexOf(a.state) - states.indexOf(b.state));
}

export function partTone(state: PartState): Tone {
  switch (state) {
    case 'ready':
      return 'good';
    case 'starting':
      return 'reserved';
    case 'degraded':
      return 'held';
    case 'failed':
      return 'failed';
    case 'stopped':
      return 'unknown';
  }
}

/** `4 of 5 parts ready`, or that all are. */
export function partsHeadline(parts: readonly ConsolePart[]): string {
  const ready = parts.filter((part) => part.state === 'ready').length;
  if (parts.length === 0) return 'nothing has been started yet';
  return ready === parts.length ? `all ${parts.length} ready` : `${ready} of ${parts.length} ready`;
}
