import type { NodeFacts } from '@quartermaster/cluster';
import { type Random, seededRandom } from '@quartermaster/kernel';
import { type Measure, measure } from '../report.ts';
import { takeTurns } from '../turns.ts';
import { fullNodes, largeOrder, oneCard } from './sample-cluster.ts';
import { firstFit, ours, type Reserve } from './sides.ts';

/** How many of the last reservations stand. What is older was given back, so that every reservation meets a cluster as full. */
const standing = 10;

/** Milliseconds of each reservation. Giving back is not timed: the existing provider does not do it. */
function timeReservations(reserve: Reserve, count: number, random: Random): number[] {
  const held: (() => void)[] = [];
  return Array.from({ length: count }, () => {
    const request = oneCard(random);
    const begin = performance.now();
    const giveBack = reserve(request);
    const ms = performance.now() - begin;
    if (giveBack === undefined) throw new Error(`there was no room for ${JSON.stringify(request)}`);
    held.push(giveBack);
    if (held.length > standing) held.shift()?.();
    return ms;
  });
}

/** Of large orders, each on the same cluster, whatever the answer is. */
function longestOf(reserve: Reserve, random: Random): number {
  let longest = 0;
  for (let count = 0; count < largeOrders; count += 1) {
    const request = largeOrder(random);
    const begin = performance.now();
    const giveBack = reserve(request);
    longest = Math.max(longest, performance.now() - begin);
    giveBack?.();
  }
  return longest;
}

const rateOf = (times: readonly number[]): number => (1000 * times.length) / times.reduce((sum, ms) => sum + ms, 0);
const p99Of = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN;

/** Of ours. A first fit does fewer, or a round would take minutes. */
const reservations = 20_000;
const largeOrders = 100;
const sizes = [
  { nodes: 100, copies: 2000 },
  { nodes: 1000, copies: 500 },
  { nodes: 5000, copies: 200 },
];

/** Reservations a second on a cluster of which nine of ten nodes are full; on the largest, how long 99 of 100 take at most, and the hardest of large ones. */
export async function reserveMeasures(rounds: number): Promise<readonly Measure[]> {
  const measures: Measure[] = [];
  for (const size of sizes) {
    const nodes = fullNodes(size.nodes, seededRandom(size.nodes));
    const run = (make: (list: readonly NodeFacts[]) => Reserve, count: number) => (round: number) =>
      Promise.resolve(timeReservations(make(nodes), count, seededRandom(round)));
    const sides = { ours: run(ours, reservations), baseline: run(firstFit, size.copies) };
    // The first round has the code compiled and is not counted.
    await takeTurns(1, sides);
    const times = await takeTurns(rounds, sides);
    const values = (of: (each: readonly number[]) => number) => ({ ours: times.ours.map(of), baseline: times.baseline.map(of) });
    measures.push(measure({ what: `reserve-${size.nodes}`, ...values(rateOf), unit: '/s', better: 'higher' }));
    if (size.nodes < 5000) continue;
    measures.push(measure({ what: 'p99-5000', ...values(p99Of), unit: 'ms', better: 'lower' }));
    const longest = (make: typeof ours) => (round: number) => Promise.resolve(longestOf(make(nodes), seededRandom(round)));
    const hardest = await takeTurns(rounds, { ours: longest(ours), baseline: longest(firstFit) });
    measures.push(measure({ what: 'longest-5000', ...hardest, unit: 'ms', better: 'lower' }));
  }
  return measures;
}
