import { FakeClock, StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { pollReservations } from './poll-reservations.ts';

const away = new StatusError('unavailable', 'away');

/** A server that answers as it is told, and a watch of it. */
async function watched(...answers: readonly (number | Error)[]) {
  const clock = new FakeClock();
  const ended = new AbortController();
  const left = [...answers];
  const { frame, follow } = pollReservations(async () => {
    const answer = left.shift() ?? away;
    if (answer instanceof Error) throw answer;
    return answer;
  }, clock);
  let draws = 0;
  const watching = follow(() => (draws += 1), ended.signal);
  // It is looked at only later.
  watching.catch(() => {});
  const settled = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return { draws, ...frame() };
  };
  const next = async () => {
    await clock.advance(2_000);
    return await settled();
  };
  return { watching, first: await settled(), next, end: () => ended.abort() };
}

describe('a list that is read again and again', () => {
  it('shows what was read last, and keeps it as stale while the server is away', async () => {
    const { watching, first, next, end } = await watched(1, 2, away, new StatusError('permission_denied', 'later'), 3);
    expect(first).toEqual({ draws: 1, state: 1, link: { isLive: true } });
    expect(await next()).toEqual({ draws: 2, state: 2, link: { isLive: true } });
    expect(await next()).toMatchObject({ draws: 3, state: 2, link: { isLive: false, lastContactAt: expect.any(Number), reason: 'away' } });
    expect(await next()).toMatchObject({ draws: 4, state: 2, link: { isLive: false, reason: 'later' } });
    expect(await next()).toEqual({ draws: 5, state: 3, link: { isLive: true } });
    end();
    await watching;
  });

  it('waits for a server that was not there at first', async () => {
    const { watching, first, next, end } = await watched(away, 1);
    expect(first).toMatchObject({ state: undefined, link: { isLive: false, lastContactAt: undefined, reason: 'away' } });
    expect(await next()).toMatchObject({ state: 1, link: { isLive: true } });
    end();
    await watching;
  });

  it.each(['unauthenticated', 'permission_denied', 'invalid_argument', 'failed_precondition'] as const)(
    'ends at once with what waiting does not mend: %s',
    async (code) => {
      await expect((await watched(new StatusError(code, 'no'))).watching).rejects.toMatchObject({ code });
    },
  );

  it('ends with a bug, whenever it comes', async () => {
    const { watching, next } = await watched(1, new TypeError('bug'));
    await next();
    await expect(watching).rejects.toThrow('bug');
  });
});
