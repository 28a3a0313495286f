import { describe, expect, it } from 'vitest';
import { LeftOutObjects } from './left-out.ts';

describe('what is left out', () => {
  const leftOut = new LeftOutObjects({
    open: () => {
      throw new Error('nothing is opened here');
    },
  });
  const names = Array.from({ length: 12 }, (_, at) => `n-${at + 10}`);
  for (const source of ['nodes', 'node-views', 'sellability', 'pods']) {
    for (const name of names.toReversed())
      leftOut.taking(source, name, () => {
        throw new Error('spec is odd');
      });
  }

  it('is named with all nodes, which are held back by their names, and the first ten of anything else', () => {
    const told = leftOut.current().map(({ source, count, named }) => [source, count, named.map(({ name }) => name)]);
    expect(told).toEqual([
      ['node-views', 12, names],
      ['nodes', 12, names],
      ['pods', 12, names.slice(0, 10)],
      ['sellability', 12, names],
    ]);
  });
});
