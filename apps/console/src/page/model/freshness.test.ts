import type { FollowState } from '@quartermaster/kernel';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { feedFreshness, freshnessOf, staleAfterMs } from './freshness.ts';

const open: FollowState = { kind: 'following' };
const broken = (since: number, retryAt: number): FollowState => ({ kind: 'reconnecting', since, retryAt, error: undefined });

describe('freshness', () => {
  it('is live while the cluster confirms and the stream is open', () => {
    expect(freshnessOf({ now: 12_000, connection: open, heardAt: 12_000, observedAt: 10_000 })).toMatchObject({
      kind: 'live',
      label: 'live · 2 s ago',
      sentence: undefined,
    });
    expect(freshnessOf({ now: 10_100, connection: open, heardAt: 10_000, observedAt: 10_000 }).label).toBe('live · just now');
  });

  it('waits while nothing was heard, and says for how long when nobody answers', () => {
    expect(freshnessOf({ now: 0, connection: { kind: 'connecting' }, heardAt: undefined, observedAt: undefined }).kind).toBe('waiting');
    const silent = freshnessOf({ now: 9_000, connection: broken(0, 12_000), heardAt: undefined, observedAt: undefined });
    expect(silent.sentence).toContain('not answered for 9 s');
    expect(silent.sentence).toContain('Trying again in 3 s');
  });

  it('tells a silent cluster from a broken connection', () => {
    const cluster = freshnessOf({ now: 60_000, connection: open, heardAt: 60_000, observedAt: 10_000 });
    expect(cluster).toMatchObject({ kind: 'stale', label: 'stale · last confirmed 50 s ago' });
    expect(cluster).toMatchObject({
      isServerStale: false,
      sentence: expect.stringContaining('the cluster has not confirmed this for 50 s'),
    });
    const connection = freshnessOf({ now: 60_000, connection: broken(10_000, 61_000), heardAt: 10_000, observedAt: 10_000 });
    expect(connection).toMatchObject({ isServerStale: true, sentence: expect.stringContaining('connection to Quartermaster is broken') });
  });

  it('says that it reconnects before the limit is passed', () => {
    expect(freshnessOf({ now: 20_000, connection: broken(15_000, 21_000), heardAt: 15_000, observedAt: 14_000 })).toMatchObject({
      kind: 'doubtful',
      label: 'reconnecting · 6 s ago',
    });
  });

  it('counts from the last word of the server while the cluster has not been read', () => {
    expect(freshnessOf({ now: 3_000, connection: open, heardAt: 1_000, observedAt: undefined }).label).toBe('live · 2 s ago');
  });

  it('never calls anything live that was not confirmed within the limit', () => {
    const moment = fc.integer({ min: 0, max: 200_000 });
    fc.assert(
      fc.property(moment, moment, moment, fc.boolean(), (now, heardAt, observedAt, isOpen) => {
        const { kind, sentence } = freshnessOf({ now, connection: isOpen ? open : broken(0, now), heardAt, observedAt });
        const isOld = now - Math.min(heardAt, observedAt) > staleAfterMs;
        expect(kind === 'stale').toBe(isOld);
        expect(sentence !== undefined).toBe(isOld);
        expect(kind === 'live').toBe(!isOld && isOpen);
      }),
    );
  });
});

describe('how far the fulfillment service can be believed', () => {
  const now = 1_000_000_000;

  it('is live while it is heard', () => {
    const state = { now, connection: { kind: 'following' }, heardAt: now - 12_000 } as const;
    expect(feedFreshness(state, undefined)).toMatchObject({ kind: 'live', label: 'live · 12 s ago' });
  });

  it('is doubtful while it is away for a moment, and stale with since when after half a minute', () => {
    const connection = { kind: 'reconnecting', since: now - 40_000, retryAt: now + 4_000, error: undefined } as const;
    expect(feedFreshness({ now, connection, heardAt: now - 20_000 }, 'gone').kind).toBe('doubtful');
    const stale = feedFreshness({ now, connection, heardAt: now - 41_000 }, 'gone');
    expect(stale).toMatchObject({ kind: 'stale', label: 'stale · last confirmed 41 s ago' });
    expect(stale.sentence).toMatch(/has not answered for 41 s, since \d\d:\d\d:\d\d: .* Trying again in 4 s\./);
  });

  it('says what is wrong when it was never heard', () => {
    const connection = { kind: 'reconnecting', since: now - 5_000, retryAt: now, error: undefined } as const;
    expect(feedFreshness({ now, connection, heardAt: undefined }, 'refused').sentence).toContain('for 5 s: refused');
    expect(feedFreshness({ now, connection: { kind: 'connecting' }, heardAt: undefined }, undefined).kind).toBe('waiting');
  });
});
