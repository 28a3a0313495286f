import { StatusError, seededRandom } from '@quartermaster/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RetryPolicy, verdictOnError } from './verdict.ts';

const policy: RetryPolicy = { maxAttempts: 4, backoff: { firstMs: 100, maxMs: 1_000, factor: 3 } };

describe('verdictOnError', () => {
  it('tries again before the last attempt and gives up at it, with the text of the error', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 }), fc.nat(), (attempt, seed) => {
        const verdict = verdictOnError(new Error('broken', { cause: new Error('wire') }), attempt, policy, seededRandom(seed));
        if (attempt >= 4) expect(verdict).toEqual({ kind: 'dead-letter', reason: 'broken: wire' });
        else expect(verdict).toMatchObject({ kind: 'again' });
        if (verdict.kind === 'again') expect(verdict.afterMs).toBeLessThanOrEqual(1_000);
      }),
    );
  });

  it('waits longer after each failure', () => {
    const waits = [1, 2, 3].map((attempt) => verdictOnError(new Error('x'), attempt, policy, { ...seededRandom(1), next: () => 0 }));
    expect(waits).toEqual([50, 150, 450].map((afterMs) => ({ kind: 'again', afterMs })));
  });

  it('gives up at once what cannot succeed', () => {
    expect(verdictOnError(new StatusError('invalid_argument', 'no'), 1, policy, seededRandom(1))).toEqual({
      kind: 'dead-letter',
      reason: 'no',
    });
    expect(verdictOnError(new StatusError('unavailable', 'later'), 1, policy, seededRandom(1))).toMatchObject({ kind: 'again' });
  });
});
