import { countOf } from '../model/amounts.ts';

/** What came of a claim, or would. */
export interface Claim {
  readonly claimed: readonly string[];
  readonly missing: number;
  readonly refusals: readonly { readonly reason: string; readonly message: string }[];
}

/** What a claim would come to, in words: how many hosts, and why no more. */
export function claimWords({ claimed, missing, refusals }: Claim): string {
  const free = claimed.length === 0 ? [] : [`${countOf(claimed.length, 'host')} could be claimed now`];
  if (missing > 0 && refusals.length === 0 && free.length === 0) return 'there are no other hosts of this class';
  return [...free, ...(missing > 0 ? refusals.map(({ message }) => message) : [])].join('; ');
}
