import { FakeClock, StatusError, systemRandom } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { LinkCodes } from './link-codes.ts';

const used = async (token: string): Promise<string> => token;
const minutes = (count: number): number => count * 60_000;

describe('codes of links', () => {
  it('are good once', async () => {
    const codes = new LinkCodes(new FakeClock(), systemRandom);
    const { code } = codes.issue('token-a');
    expect(Buffer.from(code, 'base64url')).toHaveLength(32);
    expect(codes.issue('token-b').code).not.toBe(code);
    expect(await codes.redeem(code, used)).toBe('token-a');
    await expect(codes.redeem(code, used)).rejects.toThrow('ask for a new link');
  });

  it('are not spent when the services are away, and are when they refuse, and by one at a time', async () => {
    const codes = new LinkCodes(new FakeClock(), systemRandom);
    const { code } = codes.issue('token-a');
    const away = Promise.withResolvers<never>();
    const first = codes.redeem(code, () => away.promise);
    await expect(codes.redeem(code, used)).rejects.toThrow('ask for a new link');
    away.reject(new StatusError('unavailable', 'all are away'));
    await expect(first).rejects.toThrow('all are away');
    const refused = () => Promise.reject(new StatusError('unauthenticated', 'no'));
    await expect(codes.redeem(code, refused)).rejects.toThrow('no');
    await expect(codes.redeem(code, used)).rejects.toThrow('ask for a new link');
  });

  it('are good for ten minutes', async () => {
    const clock = new FakeClock();
    const codes = new LinkCodes(clock, systemRandom);
    const [early, late] = [codes.issue('a'), codes.issue('b')];
    expect(early.endsAt).toBe(clock.now() + minutes(10));
    await clock.advance(minutes(10) - 1);
    expect(await codes.redeem(early.code, used)).toBe('a');
    await clock.advance(1);
    await expect(codes.redeem(late.code, used)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('do not add up: the oldest of very many is forgotten', async () => {
    const codes = new LinkCodes(new FakeClock(), systemRandom);
    const { code: first } = codes.issue('first');
    const { code: second } = codes.issue('second');
    for (let count = 0; count < 999; count += 1) codes.issue('more');
    await expect(codes.redeem(first, used)).rejects.toThrow('ask for a new link');
    expect(await codes.redeem(second, used)).toBe('second');
  });
});
