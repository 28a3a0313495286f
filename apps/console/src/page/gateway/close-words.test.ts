import { describe, expect, it } from 'vitest';
import { closeWords, isOver } from './close-words.ts';

describe('the end of a stream', () => {
  it.each([
    [4003, 'the lease is closed', 'Your access ended: the lease is closed'],
    [4002, '', 'The provider cannot reach its cluster at the moment'],
    [4002, 'the console is being stopped', 'The console is being stopped'],
    [4001, 'there is no such lease.', 'The provider does not have this lease: there is no such lease'],
    [4008, '20 streams of your session are open: close one', '20 streams of your session are open: close one'],
    [1006, '', 'The connection was lost'],
  ])('with %i %s is told as a sentence', (code, reason, words) => {
    expect(closeWords({ code, reason })).toBe(words);
  });

  it('is final where asking again cannot help, and not where a token only became old', () => {
    const over = (code: number, openMs: number) => isOver({ code, reason: '', openMs });
    expect([over(4001, 900_000), over(4003, 0), over(4003, 59_000)]).toEqual([true, true, true]);
    expect([over(4003, 900_000), over(4002, 0), over(1006, 0), over(1000, 0), over(4008, 0)]).toEqual(Array(5).fill(false));
  });
});
