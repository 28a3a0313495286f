import { describe, expect, it } from 'vitest';
import { roundsOf, takeTurns } from './turns.ts';

describe('turns', () => {
  it('begin with another side in every round, and keep the results of each side in the order of the rounds', async () => {
    const order: string[] = [];
    const turn = (side: string) => async (round: number) => {
      order.push(side);
      return `${side}${round}`;
    };
    const results = await takeTurns(3, { ours: turn('ours'), baseline: turn('baseline') });
    expect(order).toEqual(['ours', 'baseline', 'baseline', 'ours', 'ours', 'baseline']);
    expect(results).toEqual({ ours: ['ours0', 'ours1', 'ours2'], baseline: ['baseline0', 'baseline1', 'baseline2'] });
  });
});

describe('the number of rounds', () => {
  it('is what --rounds says, or what the benchmark takes by itself', () => {
    expect([roundsOf(['--json', '--rounds', '7'], 3), roundsOf(['--json'], 3)]).toEqual([7, 3]);
  });

  it.each(['0', '-1', '1.5', 'many', '--json'])('is not %s', (value) => {
    expect(() => roundsOf(['--rounds', value], 3)).toThrow(`--rounds is ${value}; it must be a whole number above zero`);
  });
});
