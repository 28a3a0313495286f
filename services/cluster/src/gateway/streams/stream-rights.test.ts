import { FakeClock, StatusError, silentLog } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import type { OwnerKey } from '../../market/market.ts';
import type { Tenant } from '../who/tenant.ts';
import { StreamEnd } from './close-codes.ts';
import { StreamRights } from './stream-rights.ts';

const key = (fingerprint: string): OwnerKey => ({ kind: 'certificate', pem: '', fingerprint });

function rights() {
  const clock = new FakeClock();
  const keys = new Map<string, readonly OwnerKey[]>([
    ['amy', [key('a'), key('b')]],
    ['bob', [key('a')]],
  ]);
  const open = new Set(['lease-1', 'lease-2']);
  const asked: string[] = [];
  let failure: Error | undefined;
  const of = new StreamRights({
    keys: {
      of: async (owner) => {
        asked.push(owner);
        if (failure !== undefined) throw failure;
        return keys.get(owner) ?? [];
      },
    },
    ...{ isOpen: (name) => open.has(name), clock, log: silentLog, longestMs: 60_000 },
  });
  const follow = (tenant: Partial<Tenant> = {}, stream: { readonly lease?: string; readonly idleMs?: number } = {}) => {
    const ends: string[] = [];
    const whole: Tenant = {
      owner: 'amy',
      proof: 'token',
      fingerprint: 'a',
      endsAt: clock.now() + 1e9,
      access: { access: 'full' },
      ...tenant,
    };
    const followed = of.follow(
      { tenant: whole, lease: 'lease-1', ...stream },
      (why) => void ends.push(why instanceof StreamEnd ? `${why.code} ${why.message}` : ''),
    );
    return { ...followed, ends };
  };
  return { clock, keys, open, asked, of, follow, fails: (why: Error | undefined) => void (failure = why) };
}

describe('the right to a stream', () => {
  it('goes on while nothing ends it', async () => {
    const { clock, follow } = rights();
    const { ends } = follow();
    await clock.advance(59_000);
    expect(ends).toEqual([]);
  });

  it.each(['token', 'certificate'] as const)('ends with the %s', async (proof) => {
    const { clock, follow } = rights();
    const [short, long] = [follow({ proof, endsAt: clock.now() + 5_000 }), follow({ proof })];
    await clock.advance(4_999);
    expect(short.ends).toEqual([]);
    await clock.advance(1_000);
    expect([short.ends, long.ends]).toEqual([[`4003 the ${proof} expired: show a new one`], []]);
  });

  it('ends with the key that proved it, and no other', async () => {
    const { clock, keys, follow } = rights();
    const [by, other, another] = [follow({ fingerprint: 'a' }), follow({ fingerprint: 'b' }), follow({ owner: 'bob' })];
    keys.set('amy', [key('b')]);
    await clock.advance(1_000);
    expect([by.ends, other.ends, another.ends]).toEqual([['4003 the key of the token was revoked'], [], []]);
  });

  it('ends with the lease, and no other', async () => {
    const { clock, open, follow } = rights();
    const [closed, other] = [follow(), follow({}, { lease: 'lease-2' })];
    open.delete('lease-1');
    await clock.advance(1_000);
    expect([closed.ends, other.ends]).toEqual([['4003 the lease is closed'], []]);
  });

  it('lasts no longer than any may', async () => {
    const { clock, follow } = rights();
    const { said, ends } = follow();
    for (let at = 0; at < 59; at += 1) {
      await clock.advance(1_000);
      said();
    }
    expect(ends).toEqual([]);
    await clock.advance(1_000);
    expect(ends).toEqual(['4008 open for 60 s: connect again']);
  });

  it('ends when nothing was said for too long, where that counts', async () => {
    const { clock, follow } = rights();
    const [idle, busy, never] = [follow({}, { idleMs: 10_000 }), follow({}, { idleMs: 10_000 }), follow()];
    await clock.advance(9_000);
    busy.said();
    await clock.advance(1_000);
    expect([idle.ends, busy.ends, never.ends]).toEqual([['4008 nothing was said for 10 s'], [], []]);
  });

  it('goes on while the market does not say whether the key counts', async () => {
    const { clock, keys, follow, fails } = rights();
    const { ends } = follow();
    fails(new StatusError('unavailable', 'away'));
    keys.set('amy', []);
    await clock.advance(30_000);
    expect(ends).toEqual([]);
    fails(undefined);
    await clock.advance(1_000);
    expect(ends).toHaveLength(1);
  });

  it('is asked for once for each owner, and by nobody once all are over', async () => {
    const { clock, asked, of, follow } = rights();
    const streams = [follow(), follow({ fingerprint: 'b' }), follow({ owner: 'bob' })];
    await clock.advance(1_000);
    expect([asked, of.size]).toEqual([['amy', 'bob'], 3]);
    for (const { stop } of streams) stop();
    await clock.advance(1_000);
    expect([asked.length, of.size, clock.pendingTimers]).toEqual([2, 0, 0]);
    follow();
    expect(clock.pendingTimers).toBe(1);
  });

  it('tells nothing to a stream that is over', async () => {
    const { clock, open, of, follow } = rights();
    const { stop, ends } = follow();
    stop();
    open.clear();
    of.endAll();
    await clock.advance(5_000);
    expect(ends).toEqual([]);
  });

  it('ends with the process', () => {
    const { of, follow } = rights();
    const all = [follow(), follow({ owner: 'bob' })];
    of.endAll();
    for (const { ends } of all) expect(ends).toEqual(['1012 the gateway is being restarted: connect again']);
  });
});
