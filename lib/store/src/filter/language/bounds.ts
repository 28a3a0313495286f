import type { FilterType } from './filter-type.ts';

export const minInt = -(2n ** 63n);
export const maxInt = 2n ** 63n - 1n;
const maxUint = 2n ** 64n - 1n;
/** The years 1 to 9999, and as many seconds as google.protobuf.Duration allows. */
export const minTimestamp = -62_135_596_800_000_000n;
export const maxTimestamp = 253_402_300_799_999_999n;
export const maxDuration = 315_576_000_000_000_000n;
/** Magnitudes between which arithmetic on doubles can neither overflow nor underflow; beyond them it is unknown. */
export const minDouble = 1e-150;
export const maxDouble = 1e150;

/** The bounds, both included, of an integer result. */
export function boundsOf(kind: FilterType['kind']): { readonly least: bigint; readonly most: bigint } {
  switch (kind) {
    case 'uint':
      return { least: 0n, most: maxUint };
    case 'timestamp':
      return { least: minTimestamp, most: maxTimestamp };
    case 'duration':
      return { least: -maxDuration, most: maxDuration };
    default:
      return { least: minInt, most: maxInt };
  }
}
