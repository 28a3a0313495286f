import { expect, it } from 'vitest';
import { inTurn } from './in-turn.ts';

it('lets the next ask when the one before has its answer, also when that is a failure', async () => {
  const said: string[] = [];
  const first = Promise.withResolvers<string>();
  const one = inTurn(() => {
    said.push('first asks');
    return first.promise;
  });
  const two = inTurn(async () => {
    said.push('second asks');
    return 'of the second';
  });
  await inTurn(async () => said.push('without locks'), {});
  first.reject(new Error('it is away'));
  await expect(one).rejects.toThrow('it is away');
  expect(await two).toBe('of the second');
  expect(said.filter((word) => word !== 'without locks')).toEqual(['first asks', 'second asks']);
  expect(said.indexOf('without locks')).toBeLessThan(said.indexOf('second asks'));
});
