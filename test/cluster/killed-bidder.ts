import { bidDecisionType } from '@quartermaster/api/bid-decision';
import { contractsFolder } from '@quartermaster/api/manifests';
import { type Reservation, reservationType } from '@quartermaster/api/reservation';
import { type OrderId, orderName } from '@quartermaster/cluster';
import { RecordedMarket, sampleOrder } from '@quartermaster/cluster/testing';
import { definedSteps, systemClock } from '@quartermaster/kernel';
import { type KubeObject, kinds } from '@quartermaster/kube';
import { readManifests } from '@quartermaster/service';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { patience } from '../contract/client-fixtures.ts';
import type { ContractServer } from '../contract/contract-server.ts';
import { BiddingProcess } from './bidding-process-order.ts';
import { half } from './reserving-replica.ts';

/** Leaders that are killed at every step of a bid, each followed by its standby. The cluster has room for two orders. */
export function describeKilledBidder(server: () => ContractServer, rounds: number): void {
  describe('a leader that is killed while it bids', () => {
    const market = new RecordedMarket([], systemClock);
    let leader: BiddingProcess;
    let standby: Promise<BiddingProcess>;
    /** How long bids wait for a tenant: for as long as it takes, unless that is what is tried. */
    let bidTimeoutMs = 600_000;
    const broken: string[] = [];
    let namespace: string;
    let dseq = 0n;

    beforeAll(async () => {
      for (const definition of await readManifests(contractsFolder, ['reservation', 'bid-decision']))
        await server().client.apply<KubeObject>(kinds.customResourceDefinitions, definition, { fieldManager: 'test' });
      await vi.waitFor(() => server().client.list(reservationType, { limit: 1 }), patience);
      await vi.waitFor(() => server().client.list(bidDecisionType, { limit: 1 }), patience);
      namespace = await server().namespace();
      standby = start();
      await lead(await standby);
    });

    afterAll(async () => {
      for (const process of [leader, await standby]) await process.kill();
    });

    async function start(): Promise<BiddingProcess> {
      const { kubeconfig } = server();
      const beforeBid = async (of: unknown): Promise<void> => {
        const name = orderName(of as OrderId);
        const standing = (await stored()).find(({ metadata }) => metadata?.name === name);
        if (standing?.status?.confirmed !== true || standing.spec.bid === undefined) broken.push(`${name} has a bid without a reservation`);
      };
      return await BiddingProcess.start({ kubeconfig, namespace, market, beforeBid, bidTimeoutMs });
    }

    const stored = async (): Promise<readonly Reservation[]> => (await server().client.list(reservationType)).items;

    function order(): OrderId {
      dseq += 1n;
      const made = sampleOrder({ order: { owner: 'akash1x', dseq, gseq: 1, oseq: 1 }, request: half, createdAt: Date.now() });
      market.order({ ...made, maxPrice: { denom: 'uakt', amount: '100000' } });
      return made.order;
    }

    const stateOf = async (of: OrderId): Promise<string> => {
      const name = orderName(of);
      const { bid, lease } = market.known.get(name) ?? {};
      const reservation = (await stored()).find(({ metadata }) => metadata?.name === name);
      const decision = await server().client.find(bidDecisionType, { name });
      return [bid?.state, lease?.state, reservation?.status?.phase, decision?.status?.phase].map((each) => each ?? '-').join(' ');
    };

    const comesTo = async (of: OrderId, state: string): Promise<void> =>
      await vi.waitFor(async () => expect(await stateOf(of)).toBe(state), { ...patience, interval: 50 });

    function timeBids(ms: number): void {
      bidTimeoutMs = ms;
      leader.timeBids(ms);
      void standby.then((next) => next.timeBids(ms));
    }

    /** Nobody else stands for election until it leads. */
    async function lead(next: BiddingProcess): Promise<void> {
      await next.leads;
      leader = next;
      standby = start();
    }

    /** The dead one does not come back, so nobody need wait for its lease to run out. */
    async function diesAt(step: string, cause: () => void): Promise<void> {
      const next = await standby;
      leader.dieAt(step);
      cause();
      expect(await leader.ended).toBe('SIGKILL');
      await server().client.delete(kinds.leases, { namespace, name: 'cluster' });
      await lead(next);
    }

    /** Nothing is left that nobody needs, and all of the room is there. */
    async function expectRoom(): Promise<void> {
      const orders = [order(), order()];
      for (const each of orders) await comesTo(each, 'open - Pending Bid');
      expect(await stored()).toHaveLength(2);
      for (const each of orders) market.tenant('close-order', each);
      for (const each of orders) await comesTo(each, 'lost - - Lost');
      expect(await stored()).toEqual([]);
      expect(broken).toEqual([]);
    }

    for (let round = 1; round <= rounds; round += 1) {
      const nth = `(${round} of ${rounds})`;
      it.each([...definedSteps('reserve'), ...definedSteps('confirm'), ...definedSteps('bid')])(`at %s bids once ${nth}`, async (step) => {
        const made: OrderId[] = [];
        await diesAt(step, () => made.push(order()));
        for (const each of made) {
          await comesTo(each, 'open - Pending Bid');
          market.tenant('close-order', each);
          await comesTo(each, 'lost - - Lost');
        }
        await expectRoom();
      });

      it.each(definedSteps('win'))(`at %s keeps what was won, and gives it back with the lease ${nth}`, async (step) => {
        const made = order();
        await comesTo(made, 'open - Pending Bid');
        await diesAt(step, () => market.tenant('accept', made));
        await comesTo(made, 'won active Active Won');
        market.tenant('close-lease', made);
        await comesTo(made, 'closed closed - Closed');
        await expectRoom();
      });

      it.each(['end/releasing', 'end/released'])(`at %s of a lost bid gives back what was reserved ${nth}`, async (step) => {
        const made = order();
        await comesTo(made, 'open - Pending Bid');
        await diesAt(step, () => market.tenant('accept-another', made));
        await comesTo(made, 'lost - - Lost');
        await expectRoom();
      });

      it.each(definedSteps('end'))(`at %s of a bid that nobody takes closes it, and gives back what was reserved ${nth}`, async (step) => {
        const made = order();
        await comesTo(made, 'open - Pending Bid');
        await diesAt(step, () => timeBids(0));
        await comesTo(made, 'closed - - Expired');
        timeBids(600_000);
        await expectRoom();
      });
    }
  });
}
