import { describe, expect, it } from 'vitest';
import { claimWords } from './claim-words.ts';

const refusals = [{ reason: 'FAILED', message: '2 hosts of class "cpu" are in the state FAILED' }];

describe('what a claim would come to', () => {
  it('is how many hosts, and why no more', () => {
    expect(claimWords({ claimed: ['a', 'b'], missing: 0, refusals: [] })).toBe('2 hosts could be claimed now');
    expect(claimWords({ claimed: ['a'], missing: 3, refusals })).toBe(`1 host could be claimed now; ${refusals[0]?.message}`);
    expect(claimWords({ claimed: [], missing: 3, refusals })).toBe(refusals[0]?.message);
    expect(claimWords({ claimed: [], missing: 3, refusals: [] })).toBe('there are no other hosts of this class');
  });
});
