import { describe, expect, it } from 'vitest';
import { Deadline } from './deadline.ts';
import { isFailure } from './failure.ts';

describe('Deadline', () => {
  it('is over by the clock, also before its timer had a turn', () => {
    const deadline = new Deadline(1, undefined);
    while (deadline.remainingMs() > 0);
    expect(deadline.signal.aborted).toBe(false);
    expect(isFailure(deadline.explain('get pods', new Error('other side closed')), 'timeout')).toBe(true);
    deadline.end();
  });

  it('is not over once it is disarmed, however long a stream lasts', () => {
    const deadline = new Deadline(1, undefined);
    deadline.disarm();
    while (deadline.remainingMs() > 0);
    expect(isFailure(deadline.explain('watch pods', new Error('other side closed')), 'connection')).toBe(true);
    deadline.end();
  });

  it('gives the reason of a caller who gave up, whatever the clock says', () => {
    const caller = new AbortController();
    const deadline = new Deadline(1, caller.signal);
    const reason = new Error('the lease is lost');
    caller.abort(reason);
    while (deadline.remainingMs() > 0);
    expect(deadline.explain('get pods', new Error('aborted'))).toBe(reason);
    deadline.end();
  });
});
