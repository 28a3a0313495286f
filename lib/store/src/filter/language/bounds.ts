import type { FilterType } from './filter-type.ts';

export const leastInt = -(2n ** 63n);
export const mostInt = 2n ** 63n - 1n;
const mostUint = 2n ** 64n - 1n;
/** The years 1 to 9999, and as many seconds as google.protobuf.Duration allows. */
export const leastTimestamp = -62_135_596_800_000_000n;
export const mostTimestamp = 253_402_300_799_999_999n;
export const mostDuration = 315_576_000_000_000_000n;
/** Magnitudes between which arithmetic on doubles can neither overflow nor underflow; beyond them it is unknown. */
export const leastDouble = 1e-150;
export const mostDouble = 1e150;

/** The bounds, both included, of an integer result. */
export function boundsOf(kind: FilterType['kind']): { readonly least: bigint; readonly most: bigint } {
  switch (kind) {
    case 'uint':
      return { least: 0n, most: mostUint };
    case 'timestamp':
      return { least: leastTimestamp, most: mostTimestamp };
    case 'duration':
      return { least: -mostDuration, most: mostDuration };
    default:
      return { least: leastInt, most: mostInt };
  }
}
