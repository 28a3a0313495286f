import { FakeClock } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { a100, gpus, node, one, plugin, stock } from '../../test/sample-facts.ts';
import { explainDeclines } from './explain-decline.ts';

describe('why nodes cannot take what was declined', () => {
  const nodes = [...Array.from({ length: 5 }, (_, at) => node(`gpu-${at}`, { cards: plugin(2, 2, a100) })), node('plain')];

  it('is told by what they lack, the largest group of them first', () => {
    expect(explainDeclines(() => stock(nodes), {}, new FakeClock())(one({ gpus: gpus(8, 'a100') }))).toEqual([
      {
        code: 'TooFewGpus',
        message: '5 nodes (gpu-0, gpu-1, gpu-2, 2 more): each has at most 2 of the wanted GPUs free; each replica needs 8',
      },
      { code: 'NoWantedGpu', message: '1 node (plain): it has no GPUs' },
    ]);
  });

  it('takes a tenth of the time at most: what is asked meanwhile is told less', () => {
    let nowMs = 0;
    const slow = () => {
      nowMs += 20;
      return stock(nodes);
    };
    const explain = explainDeclines(slow, {}, { monotonic: () => nowMs });
    const request = one({ gpus: gpus(8, 'a100') });
    expect(explain(request)).toHaveLength(2);
    nowMs += 179;
    expect(explain(request)).toEqual([]);
    nowMs += 1;
    expect(explain(request)).toHaveLength(2);
  });
});
