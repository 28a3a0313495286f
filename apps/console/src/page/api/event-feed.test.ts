import { FakeClock, seededRandom } from '@quartermaster/kernel';
import { beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from './api-error.ts';
import { EventFeed, type FeedEvent, type OpenWatch } from './event-feed.ts';

interface Attempt {
  readonly token: string | undefined;
  readonly on: Parameters<OpenWatch>[1];
  isClosed: boolean;
}

describe('the feed of events', () => {
  let clock: FakeClock;
  let attempts: Attempt[];
  let events: FeedEvent[];
  let feed: EventFeed;
  const last = (): Attempt => {
    const attempt = attempts.at(-1);
    if (attempt === undefined) throw new Error('nothing was opened');
    return attempt;
  };

  beforeEach(() => {
    clock = new FakeClock();
    attempts = [];
    events = [];
    const open: OpenWatch = (token, on) => {
      const attempt: Attempt = { token, on, isClosed: false };
      attempts.push(attempt);
      return () => {
        attempt.isClosed = true;
      };
    };
    feed = new EventFeed(open, clock, seededRandom(1));
    feed.listen((event) => events.push(event));
    feed.start();
  });

  const host = { id: 'h', metadata: { name: 'n', tenants: [], version: '3' } };

  it('asks to read again once the first watch has begun, and then tells what happens', () => {
    last().on.message({ token: 't1', bookmark: true });
    last().on.message({ token: 't2', event: { id: 'e', type: 'EVENT_TYPE_OBJECT_UPDATED', at: '2026-01-01T00:00:00Z', host } });
    expect(events).toEqual([
      { kind: 'lost' },
      { kind: 'changed', id: 'e', type: 'updated', payload: 'host', object: host, at: 1_767_225_600_000 },
    ]);
    expect(feed.current()).toMatchObject({ connection: { kind: 'following' }, heardAt: clock.now() });
  });

  it('goes on from the last token after a break, and reads nothing again', async () => {
    last().on.message({ token: 't1', bookmark: true });
    last().on.failed(new ApiError('unavailable', 'gone'));
    expect(feed.current()).toMatchObject({ connection: { kind: 'reconnecting' }, problem: 'gone' });
    await clock.advance(1_000);
    expect(last().token).toBe('t1');
    last().on.message({ token: 't2', bookmark: true });
    expect(events).toEqual([{ kind: 'lost' }]);
  });

  it.each([
    ['its token is too old', 'failed_precondition', 'FEED_TOKEN_EXPIRED'],
    ['other objects may be visible now', 'unauthenticated', 'ACCESS_CHANGED'],
  ] as const)('begins anew when %s, and asks to read again', async (_when, code, reason) => {
    last().on.message({ token: 't1', bookmark: true });
    last().on.failed(new ApiError(code, 'go', { reason }));
    await clock.advance(1_000);
    expect(last().token).toBeUndefined();
    last().on.message({ token: 't9', bookmark: true });
    expect(events).toEqual([{ kind: 'lost' }, { kind: 'lost' }]);
  });

  it('takes a watch that falls silent for dead, and keeps when it was last heard', async () => {
    last().on.sound();
    const heardAt = clock.now();
    await clock.advance(41_000);
    expect(attempts[0]?.isClosed).toBe(true);
    expect(feed.current()).toMatchObject({ connection: { kind: 'reconnecting' }, heardAt });
  });

  it('goes on from the last token when it is started again, and reads nothing again', () => {
    last().on.message({ token: 't1', bookmark: true });
    feed.stop();
    expect(last().isClosed).toBe(true);
    feed.start();
    expect([attempts.length, last().token]).toEqual([2, 't1']);
    expect(events).toEqual([{ kind: 'lost' }]);
  });

  it('opens nothing any more once it is stopped', async () => {
    last().on.failed(new ApiError('unavailable', 'gone'));
    feed.stop();
    await clock.advance(60_000);
    expect(attempts).toHaveLength(1);
  });
});
