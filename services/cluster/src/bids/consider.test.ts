import { parseDecimal } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { openTerms, sampleScale } from '../../test/bid-process.ts';
import { reservation } from '../../test/filled-book.ts';
import { planOn } from '../../test/sample-book.ts';
import { a100, claims, gpus, node, one, t4 } from '../../test/sample-facts.ts';
import { sampleOrder } from '../../test/sample-order.ts';
import type { CardGroup } from '../placement/stock-facts.ts';
import type { ReserveOrder } from '../reservations/reserver.ts';
import { consider } from './consider.ts';
import { scalePricing } from './price-scale.ts';

const request = one({ gpus: gpus(1, 'a100', 't4') });
const order = sampleOrder({ request });
const planWith = (card: CardGroup) => planOn([node('n1', { cards: claims([card, 1, 1]) })], request);
const gpu = new Map(
  ['nvidia/a100=100', 'nvidia/t4=10'].map((each) => each.split('=')).map(([name = '', price = '']) => [name, parseDecimal(price) ?? 0n]),
);
const pricing = scalePricing({ ...sampleScale, cpu: 0n, memory: 0n, gpu }, 18);

/** The order would get one card when it is asked what it costs, and gets the other. */
async function considered({ asked, got }: { readonly asked: CardGroup; readonly got: CardGroup }) {
  const unreserved: (string | undefined)[] = [];
  const reserver = {
    reserve: async ({ bid }: ReserveOrder) => ({
      kind: 'reserved' as const,
      reservation: reservation(order.order, { uid: 'made', plan: planWith(got), bid }),
    }),
    unreserve: async (_order: unknown, uid?: string) => void unreserved.push(uid),
    activate: () => Promise.reject(new Error('nothing was won')),
  };
  const decide = () => ({ kind: 'plan' as const, plan: planWith(asked) });
  const answer = await consider({ terms: () => openTerms, decide, pricing }, reserver, order, new AbortController().signal);
  return { answer, unreserved };
}

describe('what is reserved with other cards than the price was made for', () => {
  it('is given back where they cost more', async () => {
    const { answer, unreserved } = await considered({ asked: t4, got: a100 });
    expect(answer).toMatchObject({ kind: 'declined', reasons: [{ code: 'CardsTaken' }] });
    expect(unreserved).toEqual(['made']);
  });

  it('is bid on at that price where they do not', async () => {
    const { answer, unreserved } = await considered({ asked: a100, got: t4 });
    expect(answer).toMatchObject({ kind: 'reserved', quote: { price: { amount: '100' } }, reservation: { bid: { amount: '100' } } });
    expect(unreserved).toEqual([]);
  });
});
