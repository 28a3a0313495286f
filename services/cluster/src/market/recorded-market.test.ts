import { FakeClock } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { describeMarket } from '../../test/market-contract/index.ts';
import { recordingOf } from '../../test/recorded.ts';
import { one } from '../../test/sample-facts.ts';
import { RecordedMarket } from './recorded-market.ts';
import { parseRecording } from './recording.ts';

let dseq = 0n;

describeMarket('a recording', () => {
  const market = new RecordedMarket(recordingOf([{ pageSize: 1, shuffled: true }]), new FakeClock());
  const tenant = (deed: Parameters<RecordedMarket['tenant']>[0]) => async (order: Parameters<RecordedMarket['tenant']>[1]) =>
    market.tenant(deed, order);
  return {
    market,
    hand: {
      order: async () => {
        dseq += 1n;
        const order = { owner: 'alice', dseq, gseq: 1, oseq: 1 };
        const requirements = { attributes: new Map(), signedByAllOf: [], signedByAnyOf: [] };
        const maxPrice = { denom: 'uakt', amount: '10' };
        market.order({ order, request: one(), requirements, maxPrice, httpEndpoints: new Map(), createdAt: 0 });
        return { order, denom: 'uakt' };
      },
      accept: tenant('accept'),
      acceptAnother: tenant('accept-another'),
      closeOrder: tenant('close-order'),
      closeLease: tenant('close-lease'),
      register: async () => [],
    },
  };
});

describe('a recording', () => {
  const text = `# two orders
{"order":"alice/1/1/1","units":[{"id":1,"count":1,"cpuMillis":100,"memoryBytes":1048576}],"maxPrice":{"denom":"uakt","amount":"10"}}
{"tenant":"close-order","of":"alice/1/1/1","at":1000}
{"gap":"stale","at":500,"forMs":2000}
{"lose":"answer","of":"createBid","nth":1}
`;

  it('plays what its file says, with stale reads and answers that are lost', async () => {
    const clock = new FakeClock();
    const market = new RecordedMarket(parseRecording(text), clock);
    const order = { owner: 'alice', dseq: 1n, gseq: 1, oseq: 1 };
    await clock.advance(600);
    expect(await market.createBid(order, { price: { denom: 'uakt', amount: '1' }, cards: new Map() })).toMatchObject({ kind: 'unknown' });
    expect((await market.bids(undefined)).items).toEqual([]);
    await clock.advance(1_000);
    expect((await market.orders(undefined)).items).toHaveLength(1);
    await clock.advance(1_000);
    expect((await market.orders(undefined)).items).toHaveLength(0);
    expect((await market.lookUp([order])).get('alice-1-1-1')).toMatchObject({ state: 'closed', bid: { state: 'lost' } });
  });

  it('says which line it cannot play', () => {
    expect(() => parseRecording('\n{"order":"alice"}')).toThrow('line 2 of the recording');
    expect(() => parseRecording('{')).toThrow('line 1 of the recording');
  });
});
