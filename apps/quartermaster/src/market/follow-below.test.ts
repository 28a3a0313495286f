import { FakeClock, StatusError } from '@quartermaster/kernel';
import { expect, it, vi } from 'vitest';
import { followBelow } from './follow-below.ts';

/** Follows at a market that nobody reaches. */
function followAway(timeoutMs: number | undefined) {
  const clock = new FakeClock();
  const ended = new AbortController();
  const lines: string[] = [];
  const isOver = vi.fn<() => boolean>(() => true);
  const connect = vi.fn<() => never>(() => {
    throw new StatusError('unavailable', 'nobody answers');
  });
  const warn = (line: string) => void lines.push(line);
  const following = followBelow({ id: '1', kinds: ['orders', 'leases'], connect, warn, timeoutMs, clock }, isOver, ended.signal);
  return { clock, ended, lines, isOver, connect, following };
}

it('does not ask whether it is over before everything was read once: nothing known is not nothing there', async () => {
  const { clock, ended, lines, isOver, connect, following } = followAway(undefined);
  await clock.advance(60_000);
  expect(connect.mock.calls.length).toBeGreaterThan(4);
  expect(lines).toEqual(['nobody answers']);
  ended.abort();
  expect(await following).toEqual({ isRead: false, known: { orders: [], leases: [] }, documents: { orders: [], leases: [] } });
  expect(isOver).not.toHaveBeenCalled();
});

it('says that nothing was read when the time is over before', async () => {
  const { clock, isOver, following } = followAway(20_000);
  await clock.advance(20_000);
  expect(await following).toMatchObject({ isRead: false });
  expect(isOver).not.toHaveBeenCalled();
});
