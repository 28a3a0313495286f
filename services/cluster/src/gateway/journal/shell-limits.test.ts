import { FakeClock } from '@quartermaster/kernel';
import { expect, it } from 'vitest';
import { ShellLimits } from './shell-limits.ts';

it('lets a tenant open so many shells per minute, however many another opens', async () => {
  const clock = new FakeClock();
  const limits = new ShellLimits({ perMinute: 30, clock });
  for (let opened = 0; opened < 30; opened += 1) limits.opens('amy');
  expect(() => limits.opens('amy')).toThrow(
    expect.objectContaining({
      code: 'resource_exhausted',
      message: 'amy opens more than 30 shells per minute: try again in 2 s, or keep one open',
      details: { retryAfterMs: 2_000 },
    }),
  );
  limits.opens('bob');
  await clock.advance(2_000);
  limits.opens('amy');
  expect(() => limits.opens('amy')).toThrow('more than 30');
});
