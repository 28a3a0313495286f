import { editDistance } from '@quartermaster/kernel';

/** The name that the caller probably meant, as an ending of a message; empty when none is near. */
export function hintFor(name: string, candidates: Iterable<string>): string {
  let best: string | undefined;
  let least = Math.max(1, Math.round(name.length * 0.4)) + 1;
  const wanted = name.slice(0, 100).toLowerCase();
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < least) {
      best = candidate;
      least = distance;
    }
  }
  return best === undefined ? '' : `; did you mean "${best}"?`;
}
