import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { type BidDecision, BidDecisionSchema, BidPhase, BidService } from '@quartermaster/api/cluster';
import { orderText } from '@quartermaster/api/states';
import { StatusError } from '@quartermaster/kernel';
import { type RpcServer, serve, startRpcServer } from '@quartermaster/rpc';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { run } from '../fulfillment/test/run-program.ts';

const at = (ms: number) => timestampFromMs(Date.UTC(2026, 0, 1) + ms);
const order = (dseq: bigint) => ({ owner: 'akash1ann', dseq, gseq: 1, oseq: 1 });

const decisions: readonly BidDecision[] = [
  create(BidDecisionSchema, {
    order: order(7n),
    phase: BidPhase.WON,
    price: { denom: 'uakt', amount: '25' },
    priceParts: { memory: '5', cpu: '20' },
    orderedAt: at(0),
    reservedAt: at(40),
    bidAt: at(120),
    wonAt: at(3_500),
  }),
  create(BidDecisionSchema, {
    order: order(8n),
    phase: BidPhase.DECLINED,
    reasons: [{ code: 'DoesNotFit', message: 'no node has 8 cards: ask for less' }],
    orderedAt: at(0),
    endedAt: at(1_000),
  }),
];

let server: RpcServer;

beforeAll(async () => {
  const service = serve(BidService, {
    getBidDecision: ({ order: asked }) => {
      const text = asked === undefined ? '' : orderText(asked);
      const decision = decisions.find((each) => each.order !== undefined && orderText(each.order) === text);
      if (decision === undefined) throw new StatusError('not_found', `nothing is recorded of order ${text}`);
      return { decision };
    },
    listBidDecisions: () => ({ decisions: [...decisions] }),
    getBidStatus: () => ({}),
  });
  server = await startRpcServer({ services: [service] });
});

afterAll(() => server.stop(0));
beforeEach(() => vi.stubEnv('QUARTERMASTER_CLUSTER_SERVER', server.address));
afterEach(() => vi.unstubAllEnvs());

describe('explain bid', () => {
  it('shows what was bid, of what the price is made, and every step with its time', async () => {
    expect(await run('explain', 'bid', 'akash1ann/7/1/1')).toEqual({
      exitCode: 0,
      err: '',
      out: [
        'Order akash1ann/7/1/1: Won, 25 uakt per block, 10.9575 AKT per month',
        '',
        'Steps',
        '  STEP      AT                    AFTER',
        '  ordered   2026-01-01 00:00:00Z  -',
        '  reserved  2026-01-01 00:00:00Z  0.040 s',
        '  bid       2026-01-01 00:00:00Z  0.120 s',
        '  won       2026-01-01 00:00:03Z  3.500 s',
        '',
        'Price for each block',
        '  RESOURCE  AMOUNT',
        '  CPU       20',
        '  memory    5',
        '',
      ].join('\n'),
    });
  });

  it('says why there was no bid', async () => {
    const { exitCode, out } = await run('explain', 'bid', 'akash1ann/8/1/1');
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^Order akash1ann\/8\/1\/1: Declined\n\nWhy\n {2}no node has 8 cards: ask for less \(DoesNotFit\)\n\nSteps\n/);
    expect(out).toMatch(/ {2}declined +2026-01-01 00:00:01Z +1\.000 s\n$/);
    expect(JSON.parse((await run('explain', 'bid', 'akash1ann/8/1/1', '--json')).out)).toMatchObject({ phase: 'BID_PHASE_DECLINED' });
  });

  it('says what is not recorded, and what is no order', async () => {
    expect(await run('explain', 'bid', 'akash1ann/9/1/1')).toMatchObject({
      exitCode: 1,
      err: 'quartermaster: nothing is recorded of order akash1ann/9/1/1\n',
    });
    expect(await run('explain', 'bid', '7')).toMatchObject({ exitCode: 2, err: expect.stringContaining('OWNER/DSEQ/GSEQ/OSEQ') });
  });
});
