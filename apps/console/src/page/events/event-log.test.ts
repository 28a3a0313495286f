import { describe, expect, it } from 'vitest';
import type { FeedEvent } from '../api/event-feed.ts';
import { type EventLogState, withEvent } from './event-log.ts';

const empty: EventLogState = { since: 0, events: [], hasGap: false };
const changed = (id: string): FeedEvent => ({
  kind: 'changed',
  id,
  type: 'updated',
  payload: 'host',
  object: { id: 'h1', metadata: { name: 'h1', tenants: [], version: '2' } },
  at: 5,
});

describe('the log of events', () => {
  it('has the newest first, and each once', () => {
    const log = [changed('a'), changed('b'), changed('a')].reduce((state, event) => withEvent(state, event, 9), empty);
    expect(log.events.map(({ id }) => id)).toEqual(['b', 'a']);
    expect(log.hasGap).toBe(false);
  });

  it('takes the time of its arrival for an event without one', () => {
    expect(withEvent(empty, { ...changed('a'), at: undefined } as FeedEvent, 9).events[0]?.at).toBe(9);
  });

  it('forgets the oldest of many', () => {
    let log = empty;
    for (let index = 0; index < 1_010; index += 1) log = withEvent(log, changed(String(index)), 9);
    expect(log.events).toHaveLength(1_000);
    expect(log.events.at(-1)?.id).toBe('10');
  });

  it('knows that something may be missing when the feed began anew in between', () => {
    expect(withEvent(empty, { kind: 'lost' }, 9).hasGap).toBe(false);
    expect(withEvent(withEvent(empty, changed('a'), 9), { kind: 'lost' }, 9).hasGap).toBe(true);
  });
});
