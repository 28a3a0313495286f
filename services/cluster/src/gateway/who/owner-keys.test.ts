import { FakeClock, StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import type { OwnerKey } from '../../market/market.ts';
import { OwnerKeys } from './owner-keys.ts';

const keyOf = (fingerprint: string): OwnerKey => ({ kind: 'certificate', pem: '', fingerprint });
const away = new StatusError('unavailable', '10.0.0.7 does not answer');

function market() {
  const clock = new FakeClock();
  const asked: string[] = [];
  let answer: (owner: string) => Promise<readonly OwnerKey[]> = (owner) => Promise.resolve([keyOf(owner)]);
  const keysOf = (owner: string): Promise<readonly OwnerKey[]> => {
    asked.push(owner);
    return answer(owner);
  };
  const keys = new OwnerKeys({ keysOf }, clock, new AbortController().signal);
  return { clock, asked, keys, answers: (by: typeof answer) => void (answer = by) };
}

describe('keys of owners', () => {
  it('are asked for once in five seconds', async () => {
    const { clock, asked, keys, answers } = market();
    expect(await keys.of('amy')).toEqual([keyOf('amy')]);
    answers(() => Promise.resolve([keyOf('new')]));
    await clock.advance(4_999);
    expect(await keys.of('amy')).toEqual([keyOf('amy')]);
    await clock.advance(1);
    expect(await keys.of('amy')).toEqual([keyOf('new')]);
    expect(asked).toEqual(['amy', 'amy']);
  });

  it('are as old as the question, however long the answer took', async () => {
    const { clock, asked, keys, answers } = market();
    const late = Promise.withResolvers<readonly OwnerKey[]>();
    answers(() => late.promise);
    const first = keys.of('amy');
    await clock.advance(6_000);
    late.resolve([keyOf('old')]);
    await first;
    await keys.of('amy');
    expect(asked).toHaveLength(2);
  });

  it('are asked for once by all who want them at the same time, and for each owner by itself', async () => {
    const { asked, keys } = market();
    const [one, same, other] = await Promise.all([keys.of('amy'), keys.of('amy'), keys.of('bob')]);
    expect([one, same, other]).toEqual([[keyOf('amy')], [keyOf('amy')], [keyOf('bob')]]);
    expect(asked).toEqual(['amy', 'bob']);
  });

  it('are none of an owner that the market does not tell of, even where it did', async () => {
    const { clock, keys, answers } = market();
    await keys.of('amy');
    for (const code of ['permission_denied', 'not_found'] as const) {
      answers(() => Promise.reject(new StatusError(code, 'no')));
      await clock.advance(5_000);
      expect(await keys.of('amy')).toEqual([]);
    }
  });

  it('count for five minutes while the market is away, and no longer', async () => {
    const { clock, keys, answers } = market();
    await keys.of('amy');
    answers(() => Promise.reject(away));
    await clock.advance(299_999);
    expect(await keys.of('amy')).toEqual([keyOf('amy')]);
    await clock.advance(1);
    await expect(keys.of('amy')).rejects.toMatchObject({ code: 'unavailable', message: expect.not.stringContaining('10.0.0.7') });
  });

  it('are not asked for again at once where they could not be read, however many callers knock', async () => {
    const { clock, asked, keys, answers } = market();
    answers(() => Promise.reject(away));
    for (let caller = 0; caller < 100; caller += 1) await expect(keys.of('amy')).rejects.toMatchObject({ code: 'unavailable' });
    expect(asked).toHaveLength(1);
    await clock.advance(1_000);
    answers(() => Promise.resolve([keyOf('back')]));
    expect(await keys.of('amy')).toEqual([keyOf('back')]);
  });

  it('are forgotten of whoever was asked for longest ago, beyond ten thousand', async () => {
    const { asked, keys } = market();
    for (let at = 0; at <= 10_000; at += 1) await keys.of(`owner-${at}`);
    asked.length = 0;
    await keys.of('owner-1');
    await keys.of('owner-0');
    expect(asked).toEqual(['owner-0']);
  });
});
