import { FakeClock, StatusError } from '@quartermaster/kernel';
import { expect, it } from 'vitest';
import { whileAllowed } from './while-allowed.ts';

const minute = 60_000;

it('ends within a minute of the right, and not while nobody says', async () => {
  const clock = new FakeClock();
  let refusal: StatusError | undefined;
  const require = () => (refusal === undefined ? Promise.resolve() : Promise.reject(refusal));
  const allowed = whileAllowed(require, clock, new AbortController().signal);
  await clock.advance(3 * minute);
  refusal = new StatusError('unavailable', 'all are away');
  await clock.advance(3 * minute);
  expect(allowed.aborted).toBe(false);
  refusal = new StatusError('permission_denied', 'no longer');
  await clock.advance(minute);
  expect(allowed.aborted).toBe(true);
  expect(clock.pendingTimers).toBe(0);
});

it('asks nothing more when whoever follows has gone', async () => {
  const clock = new FakeClock();
  const gone = new AbortController();
  const allowed = whileAllowed(() => Promise.resolve(), clock, gone.signal);
  await clock.advance(minute);
  gone.abort();
  expect([allowed.aborted, clock.pendingTimers]).toEqual([true, 0]);
});
