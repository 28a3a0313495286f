import type { NodeFacts } from '@quartermaster/cluster';
import { seededRandom } from '@quartermaster/kernel';
import { type Measure, measure } from '../report.ts';
import { takeTurns } from '../turns.ts';
import { cardsIn, cardsOf, emptyNodes, mixedRequest } from './sample-cluster.ts';
import { firstFit, ours, type Reserve } from './sides.ts';

/** A round is the mean of so many streams, each with a seed of its own; both sides meet the same ones. */
const streams = 20;

/** Percent of the cards that are sold when a stream of orders, of which nine of twenty end again, meets its first refusal. */
function sold(make: (nodes: readonly NodeFacts[]) => Reserve, nodes: readonly NodeFacts[], round: number): number {
  let taken = 0;
  for (let stream = 0; stream < streams; stream += 1) {
    const random = seededRandom(round * streams + stream);
    const reserve = make(nodes);
    const held: { readonly cards: number; readonly giveBack: () => void }[] = [];
    for (;;) {
      const request = mixedRequest(random);
      const giveBack = reserve(request);
      if (giveBack === undefined) break;
      held.push({ cards: cardsOf(request), giveBack });
      if (random.next() < 0.45) held.splice(Math.floor(random.next() * held.length), 1)[0]?.giveBack();
    }
    taken += held.reduce((sum, each) => sum + each.cards, 0);
  }
  return (100 * taken) / (cardsIn(nodes) * streams);
}

export async function packedMeasure(rounds: number): Promise<Measure> {
  const nodes = emptyNodes(60, 1);
  const percent = await takeTurns(rounds, {
    ours: (round) => Promise.resolve(sold(ours, nodes, round)),
    baseline: (round) => Promise.resolve(sold(firstFit, nodes, round)),
  });
  return measure({ what: 'packed', ...percent, unit: '%', better: 'higher' });
}
