import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bidDecisionType } from '@quartermaster/api/bid-decision';
import { BidPhase, ReservationPhase } from '@quartermaster/api/cluster';
import { inventoryUpdatedTopic, leaseClosedTopic, leaseWonTopic } from '@quartermaster/api/market-topics';
import { reservationType } from '@quartermaster/api/reservation';
import { createMemoryBus } from '@quartermaster/bus';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSimulatedCluster } from '../inventory/operator-cluster.ts';
import { type ClusterSite, type SiteOptions, startSite } from './cluster-site.ts';

const patience = { timeout: 30_000, interval: 100 };
const owner = 'akash1tenant';
const order = (dseq: number) => ({ owner, dseq: BigInt(dseq), gseq: 1, oseq: 1 });
const line = (dseq: number, cpuMillis: number, amount = '100') => ({
  order: `${owner}/${dseq}/1/1`,
  units: [{ id: 1, count: 1, cpuMillis, memoryBytes: 2 ** 30 }],
  maxPrice: { denom: 'uakt', amount },
});
const recording = [
  line(1, 1_000),
  { tenant: 'accept', of: `${owner}/1/1/1`, after: 'bid', afterMs: 0 },
  line(2, 1_000),
  { tenant: 'accept-another', of: `${owner}/2/1/1`, after: 'bid', afterMs: 0 },
  line(3, 1_000),
  line(4, 384_000),
  line(5, 1_000, '0.5'),
  line(6, 1_000),
  { tenant: 'accept', of: `${owner}/6/1/1`, after: 'bid', afterMs: 0 },
  { tenant: 'close-lease', of: `${owner}/6/1/1`, after: 'lease', afterMs: 5_000 },
  { lose: 'answer', of: 'createBid', nth: 1 },
];

/** One that plays the recording, and what it has announced. */
function withSite(more: Partial<SiteOptions> = {}): { readonly site: () => ClusterSite; readonly announced: ReadonlySet<string> } {
  let directory: string;
  let site: ClusterSite;
  const bus = createMemoryBus();
  const announced = new Set<string>();

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'bids-'));
    const file = join(directory, 'recording');
    await writeFile(file, recording.map((each) => JSON.stringify(each)).join('\n'));
    const prices = ['--bid-price-cpu-scale=0.001', '--bid-price-memory-scale=0.001', '--bid-timeout=1h'];
    const resources = { cpu: '16', memory: '64Gi', 'ephemeral-storage': '100Gi', pods: '110' };
    for (const topic of [leaseWonTopic, leaseClosedTopic])
      await bus.subscribe(topic, ({ value }) => void announced.add(`${topic.name} ${value.order}`));
    await bus.subscribe(inventoryUpdatedTopic, () => void announced.add(inventoryUpdatedTopic.name));
    const args = [`--bid-recording-file=${file}`, ...prices];
    site = await startSite(await startSimulatedCluster(), { nodes: ['n-1'], resources, bus, args, ...more });
  });

  afterAll(async () => {
    await site?.stop();
    await bus.close();
    await rm(directory, { recursive: true, force: true });
  });

  return { site: () => site, announced };
}

const reservedAt = async ({ cluster }: ClusterSite) =>
  (await cluster.client.list(reservationType)).items.map(({ metadata, status }) => `${metadata?.name} ${status?.phase}`).toSorted();

describe('the cluster service at a market whose decisions cannot be recorded', () => {
  const { site } = withSite({ withDecisions: false });

  it('bids all the same, keeps what it won and gives back what it lost, and says what is missing', async () => {
    await expect.poll(() => reservedAt(site()), patience).toEqual([`${owner}-1-1-1 Active`, `${owner}-3-1-1 Pending`]);
    const bids = site().replicas[0]?.bids();
    await expect
      .poll(() => bids?.getBidStatus({}), patience)
      .toMatchObject({ market: { openOrders: 3n, openBids: 1n, leases: 1n }, problem: expect.stringContaining('the kind BidDecision') });
    // On a busy machine orders are considered one after another.
    await expect
      .poll(async () => (await bids?.getBidDecision({ order: order(5) }))?.decision, patience)
      .toMatchObject({ phase: BidPhase.DECLINED, reasons: [{ code: 'PriceTooLow' }] });
  });
});

describe('the cluster service at a market', () => {
  const { site: running, announced } = withSite();

  it('bids on what it can, keeps what it won, and says of everything else why not', async () => {
    const site = running();
    const [leader] = site.replicas;
    const bids = leader?.bids();
    const phases = async () => {
      const { decisions = [] } = (await bids?.listBidDecisions({})) ?? {};
      return decisions
        .map(({ order: of, phase, reasons }) => [Number(of?.dseq), phase, reasons.map(({ code }) => code).join()])
        .toSorted(([a], [b]) => Number(a) - Number(b));
    };
    await expect.poll(phases, patience).toEqual([
      [1, BidPhase.WON, ''],
      [2, BidPhase.LOST, 'BidLost'],
      [3, BidPhase.BID, ''],
      [4, BidPhase.DECLINED, expect.any(String)],
      [5, BidPhase.DECLINED, 'PriceTooLow'],
      [6, BidPhase.CLOSED, 'LeaseClosed'],
    ]);
    const won = await bids?.getBidDecision({ order: order(1) });
    expect(won?.decision).toMatchObject({ price: { denom: 'uakt', amount: '2.024' }, priceParts: { cpu: '1', memory: '1.024' } });
    const { reservation } = (await leader?.client().getReservation({ order: order(1) })) ?? {};
    expect(reservation).toMatchObject({ phase: ReservationPhase.ACTIVE, bid: { amount: '2.024' } });
    expect(await reservedAt(site)).toEqual([`${owner}-1-1-1 Active`, `${owner}-3-1-1 Pending`]);
    expect((await site.cluster.client.list(bidDecisionType)).items).toHaveLength(6);
    expect(await bids?.getBidStatus({})).toMatchObject({
      configured: true,
      market: { openOrders: 3n, openBids: 1n, leases: 1n },
      revenue: [{ denom: 'uakt', amount: '2.024', leases: 1n, parts: { cpu: '1', memory: '1.024' } }],
      problem: '',
    });
    await expect(leader?.client().unreserve({ order: order(3) })).rejects.toMatchObject({
      code: 'failed_precondition',
      message: expect.stringContaining('was made for a bid'),
    });
    await expect
      .poll(() => [...announced].toSorted(), patience)
      .toEqual(['InventoryUpdated', `LeaseClosed ${owner}/6/1/1`, `LeaseWon ${owner}/1/1/1`, `LeaseWon ${owner}/6/1/1`]);
    expect(JSON.stringify(await leader?.metrics.scrape())).toContain('quartermaster_bid_decisions_total{phase=');
  });
});
