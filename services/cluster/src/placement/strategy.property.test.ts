import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { a100, Gi, gpus, node, one, plugin, stock } from '../../test/sample-facts.ts';
import { place } from './place.ts';

interface Sample {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  readonly size: number;
  readonly free: number;
}

const samples: fc.Arbitrary<readonly Sample[]> = fc.array(
  fc.constantFrom(0, 2, 4, 8).chain((size) =>
    fc.record({
      cpuMillis: fc.integer({ min: 1, max: 4 }).map((n) => n * 1000),
      memoryBytes: fc.integer({ min: 1, max: 4 }).map((n) => n * Gi),
      size: fc.constant(size),
      free: fc.integer({ min: 0, max: size }),
    }),
  ),
  { minLength: 1, maxLength: 8 },
);

const stockOf = (list: readonly Sample[]) =>
  stock(
    list.map(({ cpuMillis, memoryBytes, size, free }, at) =>
      node(`node-${at}`, { cpuMillis, memoryBytes, cards: size === 0 ? [] : plugin(free, size, a100) }),
    ),
  );

/** How much those who need cards would miss: for a request without cards the cards beside it, for others whether a whole node is broken into. */
function loss({ size, free }: Sample, cards: number): number {
  if (cards === 0) return size === 0 ? 0 : free === 0 ? 1 : free < size ? 2 : 3;
  return free === size && cards < size ? 1 : 0;
}

describe('a small request', () => {
  it('breaks into no whole node, and takes no cards from others, while another place exists', () => {
    const amounts = fc.record({
      cpuMillis: fc.integer({ min: 1, max: 4 }).map((n) => n * 1000),
      memoryBytes: fc.integer({ min: 1, max: 4 }).map((n) => n * Gi),
      cards: fc.integer({ min: 0, max: 3 }),
    });
    fc.assert(
      fc.property(samples, amounts, (list, { cards, ...asked }) => {
        const fitting = list.filter(
          ({ cpuMillis, memoryBytes, free }) => cpuMillis >= asked.cpuMillis && memoryBytes >= asked.memoryBytes && free >= cards,
        );
        const placing = place(stockOf(list), one({ ...asked, gpus: cards === 0 ? undefined : gpus(cards, 'a100') }));
        expect(placing.kind).toBe(fitting.length > 0 ? 'plan' : 'refusal');
        if (placing.kind !== 'plan') return;
        const taken = list[Number(placing.plan.units[0]?.replicas[0]?.node.slice('node-'.length))];
        expect(taken === undefined ? undefined : loss(taken, cards)).toBe(Math.min(...fitting.map((each) => loss(each, cards))));
      }),
      { numRuns: 1000 },
    );
  });
});
