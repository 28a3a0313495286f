import { FakeClock } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { describeMarket } from '../../test/market-contract/index.ts';
import { recordingOf } from '../../test/recorded.ts';
import { one } from '../../test/sample-facts.ts';
import { orderName } from '../reservations/order-name.ts';
import { RecordedMarket } from './recorded-market.ts';
import { parseRecording } from './recording.ts';

let dseq = 0n;
const deployed = new Map<string, string>(); // order -> its manifest

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
        const made = { order, request: one(), requirements, maxPrice, httpEndpoints: new Map(), createdAt: 0 };
        market.order(made, { json: `["${dseq}"]`, confirmed: [] });
        deployed.set(orderName(order), `["${dseq}"]`);
        return { order, denom: 'uakt' };
      },
      accept: tenant('accept'),
      acceptAnother: tenant('accept-another'),
      closeOrder: tenant('close-order'),
      closeLease: tenant('close-lease'),
      deployed: async (order) => deployed.get(orderName(order)) ?? '',
      change: async (order) => {
        const json = `["changed"]`;
        deployed.set(orderName(order), json);
        market.update(order, { json, confirmed: [] });
      },
      delivery: async (order) => market.deliveries.get(orderName(order)),
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

  it('plays manifests and their changes', async () => {
    const clock = new FakeClock();
    const written = `{"order":"alice/1/1/1","units":[],"maxPrice":{"denom":"uakt","amount":"10"},"manifest":"[1]"}
{"tenant":"accept","of":"alice/1/1/1","after":"bid","afterMs":0}
{"update":"alice/1/1/1","manifest":"[2]","confirmed":["db/data"],"at":1000}`;
    const market = new RecordedMarket(parseRecording(written), clock, 'p1');
    const order = { owner: 'alice', dseq: 1n, gseq: 1, oseq: 1 };
    await clock.advance(1);
    await market.createBid(order, { price: { denom: 'uakt', amount: '1' }, cards: new Map() });
    await clock.advance(1);
    expect((await market.leases(undefined)).items).toMatchObject([{ provider: 'p1', state: 'active' }]);
    expect(await market.manifestOf(order)).toEqual({ json: '[1]', confirmed: [] });
    await clock.advance(1_000);
    expect(await market.manifestOf(order)).toEqual({ json: '[2]', confirmed: ['db/data'] });
  });

  it('says which line it cannot play', () => {
    expect(() => parseRecording('\n{"order":"alice"}')).toThrow('line 2 of the recording');
    expect(() => parseRecording('{')).toThrow('line 1 of the recording');
  });
});
