import { FakeClock } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { limitedReview } from './limited-review.ts';

describe('a limited review', () => {
  it('asks about a token that was good and is no longer as seldom as about any other', async () => {
    const good = new Set(['token']);
    let asked = 0;
    const review = limitedReview(async (token) => {
      asked += 1;
      return good.has(token) ? { name: 'ann', groups: [] } : undefined;
    }, new FakeClock());
    const call = () => review({ peer: '10.0.0.1:1', token: 'token' }, new AbortController().signal);
    expect(await call()).toEqual({ name: 'ann', groups: [] });
    good.clear();
    asked = 0;
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => undefined).map(call));
    expect(await call().catch(() => 'refused')).toBe('refused');
    for (let time = 0; time < 50; time += 1) await call().catch(() => undefined);
    expect(outcomes).toHaveLength(100);
    // The hundred came while the token still counted as good; afterwards nobody is asked about it any more.
    expect(asked).toBe(100);
  });
});
