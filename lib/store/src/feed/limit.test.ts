import { describe, expect, it } from 'vitest';
import { limit } from './limit.ts';

describe('limit', () => {
  it('runs so many at a time, the others in their order, also after a failure', async () => {
    const run = limit(2);
    const started: number[] = [];
    const finish: (() => void)[] = [];
    const works = [0, 1, 2, 3].map((index) =>
      run(async () => {
        started.push(index);
        await new Promise<void>((resolve, reject) => {
          finish[index] = index === 0 ? () => reject(new Error('zero')) : resolve;
        });
      }),
    );
    const failed = works[0]?.catch((thrown: unknown) => thrown);
    expect(started).toEqual([0, 1]);
    finish[0]?.();
    expect(await failed).toEqual(new Error('zero'));
    expect(started).toEqual([0, 1, 2]);
    finish[1]?.();
    await works[1];
    expect(started).toEqual([0, 1, 2, 3]);
    finish[2]?.();
    finish[3]?.();
    await Promise.all(works.slice(2));
  });
});
