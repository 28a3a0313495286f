import { countOf } from '../model/amounts.ts';
import type { Preview } from './use-preview.ts';

/** Volumes whose loss nobody has said yes to. */
export const unconfirmed = (preview: Preview | undefined, confirmed: ReadonlySet<string>): readonly string[] =>
  (preview?.lost_volumes ?? []).filter((volume) => !confirmed.has(volume));

interface Draft {
  readonly isEmpty: boolean;
  /** As what is deployed. */
  readonly isSame: boolean;
  readonly isCurrent: boolean;
  readonly preview: Preview | undefined;
  /** Volumes to be said yes to. */
  readonly missing: readonly string[];
}

/** Why the update cannot be made now; undefined when it can. */
export function updateObstacle({ isEmpty, isSame, isCurrent, preview, missing }: Draft): string | undefined {
  if (isEmpty) return 'Write the SDL first.';
  if (isSame) return 'Nothing is changed.';
  const faults = preview?.faults.length ?? 0;
  if (faults > 0) return `The SDL has ${countOf(faults, 'fault')}: fix ${faults === 1 ? 'it' : 'them'} first.`;
  if (!isCurrent) return 'Finding out what would change …';
  if (missing.length > 0) return `Confirm first that the data of ${missing.join(', ')} may be lost.`;
  return undefined;
}
