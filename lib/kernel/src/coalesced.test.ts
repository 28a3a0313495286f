import { expect, it } from 'vitest';
import { coalesced } from './coalesced.ts';
import { FakeClock } from './fake-clock.ts';

it('passes the first call on at once and the others together at the end of the pause', async () => {
  const clock = new FakeClock();
  let calls = 0;
  const { trigger } = coalesced(clock, 250, () => (calls += 1));
  trigger();
  expect(calls).toBe(1);
  for (let count = 0; count < 100; count += 1) trigger();
  expect(calls).toBe(1);
  await clock.advance(250);
  expect(calls).toBe(2);
  await clock.advance(250);
  expect(calls).toBe(2);
  trigger();
  expect(calls).toBe(3);
});

it('passes nothing on after it was stopped', async () => {
  const clock = new FakeClock();
  let calls = 0;
  const { trigger, stop } = coalesced(clock, 250, () => (calls += 1));
  trigger();
  trigger();
  stop();
  await clock.advance(1000);
  trigger();
  expect(calls).toBe(1);
});
