import { FakeClock, systemRandom } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { LinkCodes } from './link-codes.ts';

const minutes = (count: number): number => count * 60_000;

describe('codes of links', () => {
  it('are good once', () => {
    const codes = new LinkCodes(new FakeClock(), systemRandom);
    const { code } = codes.issue('token-a');
    expect(Buffer.from(code, 'base64url')).toHaveLength(32);
    expect(codes.issue('token-b').code).not.toBe(code);
    expect(codes.redeem(code)).toBe('token-a');
    expect(() => codes.redeem(code)).toThrow('ask for a new link');
  });

  it('are good for ten minutes', async () => {
    const clock = new FakeClock();
    const codes = new LinkCodes(clock, systemRandom);
    const [early, late] = [codes.issue('a'), codes.issue('b')];
    expect(early.endsAt).toBe(clock.now() + minutes(10));
    await clock.advance(minutes(10) - 1);
    expect(codes.redeem(early.code)).toBe('a');
    await clock.advance(1);
    expect(() => codes.redeem(late.code)).toThrow(expect.objectContaining({ code: 'unauthenticated' }));
  });

  it('do not add up: the oldest of very many is forgotten', () => {
    const codes = new LinkCodes(new FakeClock(), systemRandom);
    const { code: first } = codes.issue('first');
    const { code: second } = codes.issue('second');
    for (let count = 0; count < 999; count += 1) codes.issue('more');
    expect(() => codes.redeem(first)).toThrow('ask for a new link');
    expect(codes.redeem(second)).toBe('second');
  });
});
