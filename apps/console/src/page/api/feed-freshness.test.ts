import { describe, expect, it } from 'vitest';
import { feedFreshness } from './feed-freshness.ts';

const now = 1_000_000_000;

describe('how far the fulfillment service can be believed', () => {
  it('is live while it is heard', () => {
    const state = { connection: { kind: 'following' }, heardAt: now - 12_000, problem: undefined } as const;
    expect(feedFreshness(state, now)).toMatchObject({ kind: 'live', label: 'live · 12 s ago' });
  });

  it('is doubtful while it is away for a moment, and stale with since when after half a minute', () => {
    const connection = { kind: 'reconnecting', since: now - 40_000, retryAt: now + 4_000, error: undefined } as const;
    expect(feedFreshness({ connection, heardAt: now - 20_000, problem: 'gone' }, now).kind).toBe('doubtful');
    const stale = feedFreshness({ connection, heardAt: now - 41_000, problem: 'gone' }, now);
    expect(stale).toMatchObject({ kind: 'stale', label: 'stale · last confirmed 41 s ago' });
    expect(stale.sentence).toMatch(/has not answered for 41 s, since \d\d:\d\d:\d\d: .* Trying again in 4 s\./);
  });

  it('says what is wrong when it was never heard', () => {
    const connection = { kind: 'reconnecting', since: now - 5_000, retryAt: now, error: undefined } as const;
    expect(feedFreshness({ connection, heardAt: undefined, problem: 'refused' }, now).sentence).toContain('for 5 s: refused');
    expect(feedFreshness({ connection: { kind: 'connecting' }, heardAt: undefined, problem: undefined }, now).kind).toBe('waiting');
  });
});
