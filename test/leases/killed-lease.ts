import { bidDecisionType } from '@quartermaster/api/bid-decision';
import { contractsFolder } from '@quartermaster/api/manifests';
import { reservationType } from '@quartermaster/api/reservation';
import { tenantLeaseType } from '@quartermaster/api/tenant-lease';
import { type OrderId, orderName } from '@quartermaster/cluster';
import { RecordedMarket, tenantManifest, tenantOrder } from '@quartermaster/cluster/testing';
import { definedSteps, systemClock } from '@quartermaster/kernel';
import { type KubeObject, kinds } from '@quartermaster/kube';
import { readManifests } from '@quartermaster/service';
import type { NodePool } from '@quartermaster/simulator';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { BiddingProcess } from '../cluster/bidding-process-order.ts';
import { patience } from '../contract/client-fixtures.ts';
import type { ContractServer } from '../contract/contract-server.ts';
import { followHostname, hasIt, leaked, leaseState, leaseVersions } from './crash-state.ts';
import { nodeSpec, startNodes } from './leased-cluster.ts';
import { writtenOf } from './written-objects.ts';

const contracts = [
  ...['reservation', 'bid-decision', 'tenant-lease', 'manifest'],
  ...['provider-host', 'provider-leased-ip', 'hostname-claim', 'address-claim', 'tenant-shell'],
];

/** Where a lease gets to in its deployment, its change and its end. */
const deploying = [
  ...definedSteps('take-manifest'),
  ...['hostname/claimed', 'hostname/compared', 'hostname/held'],
  ...['manifest/secret', 'manifest/stored', 'lease-namespace/created', 'lease-namespace/applied', 'lease-objects/applied'],
  ...['keep-lease/namespace', 'keep-lease/hostnames', 'keep-lease/objects', 'declared/applied', 'keep-lease/released'],
  'place-pod/assigned',
];
const changing = [
  ...deploying.filter((step) => !['lease-namespace/created', 'place-pod/assigned'].includes(step)),
  'manifest/cleaned',
  'lease-objects/removed',
  'declared/removed',
  'hostname/released',
];
/** Once its record is complete, its part of the cluster is given back. */
const ending = [
  ...[...definedSteps('end-lease'), 'lease-objects/removed', 'declared/removed', 'hostname/released'],
  ...['end/releasing', 'end/released'],
];
/** Of a hostname, to another lease of the same owner. */
const transferring = ['hostname/moved', 'declared/applied'];
/**
 * Not of these lives: the stock of these leaders has no storage class and nodes that stay, so that no volume can be lost and no plan can change. A leader that dies after it deleted
 * a lost claim is in crash.ts, and one that moves an address in test/gateway; which pods are made anew is in place-pods.test.ts. A bid that is closed before anybody takes it has no lease: that is in killed-bidder.ts.
 */
const elsewhere = ['lost-claims/removed', 'place-pod/replaced', 'end/closing', 'end/closed', 'address/moved', 'address/released'];
/** On a busy machine a lease may not be seen for a moment, which its record says until the manager looks again, a minute later. */
const often = { timeout: 90_000, interval: 100 };
/** A limit of several waits, on a busy machine. */
const minutes = 900_000;
/** Pieces of work that are not of a lease that was won: those of reservations, bids, the fuse, the database and the election have tests of their own. */
const foreign = new Set([
  ...['reserve', 'confirm', 'unreserve', 'take-over', 'bid', 'win'],
  ...['removals', 'transaction', 'leader-write'],
]);

/** As many as the longest list has steps, so that each step is in one of them; shorter lists begin anew. */
const lives = Array.from({ length: Math.max(deploying.length, changing.length, ending.length) }, (_, at) => {
  const stepOf = (steps: readonly string[]): string => steps[at % steps.length] ?? '';
  return [stepOf(deploying), stepOf(changing), stepOf(ending)] as const;
});

export interface KilledLeaseOptions {
  readonly rounds: number;
  /** Of the lives of leases, and of transfers, one in so many. */
  readonly stride: number;
  /** Which of them: with as many numbers in a row, each once. */
  readonly offset: number;
}

/** Leaders that are killed at steps of a lease, each followed by its standby. */
export function describeKilledLease(server: () => ContractServer, { rounds, stride, offset }: KilledLeaseOptions): void {
  const share = stride === 1 ? 'every life' : `one life in ${stride}, those of day ${offset % stride}`;
  describe(`a leader that is killed (${share})`, () => {
    const market = new RecordedMarket([], systemClock);
    let leader: BiddingProcess;
    let standby: Promise<BiddingProcess>;
    let namespace: string;
    let nodes: NodePool;
    let dseq = 910_000_000n;
    let bystander: OrderId;
    let untouched: ReadonlyMap<string, string>;
    /** How a lease is whose leader lives. */
    let whole: { readonly deployed: readonly string[]; readonly updated: readonly string[]; readonly ended: readonly string[] };

    beforeAll(async () => {
      const { client } = server();
      for (const definition of await readManifests(contractsFolder, contracts))
        await client.apply<KubeObject>(kinds.customResourceDefinitions, definition, { fieldManager: 'test' });
      await vi.waitFor(() => client.list(tenantLeaseType, { limit: 1 }), patience);
      await vi.waitFor(() => client.list(bidDecisionType, { limit: 1 }), patience);
      namespace = await server().namespace();
      // No pod is given a node that is not heard of.
      nodes = await startNodes(client, [nodeSpec('n1', 1), nodeSpec('n2', 2)]);
      standby = start();
      await lead(await standby);
      bystander = await bidFor('bob');
      market.tenant('accept', bystander);
      await runs(bystander, 1);
      const one = await bidFor('alice');
      market.tenant('accept', one);
      const deployed = await runs(one, 1);
      update(one);
      const updated = await runs(one, 2);
      market.tenant('close-lease', one);
      whole = { deployed, updated, ended: await isGone(one) };
      await runs(bystander, 1);
      untouched = await standing(bystander);
    }, minutes);

    afterAll(async () => {
      for (const process of [leader, await standby]) await process?.kill();
      await nodes?.stop();
    });

    const start = async (): Promise<BiddingProcess> =>
      await BiddingProcess.start({
        ...{ kubeconfig: server().kubeconfig, namespace, market },
        ...{ beforeBid: async () => {}, bidTimeoutMs: 600_000, hasLeases: true },
      });

    const reservationOf = (order: OrderId) => server().client.find(reservationType, { name: orderName(order) });
    const stateOf = (order: OrderId) => leaseState(server().client, order);

    /** An order of a quarter of the cluster that waits for its tenant. */
    async function bidFor(owner: string, more: readonly string[] = []): Promise<OrderId> {
      dseq += 1n;
      const order = { owner, dseq, gseq: 1, oseq: 1 };
      const wish = { order, reads: true, hosts: [`old-${dseq}.example.com`, `www-${dseq}.example.com`, ...more] };
      market.order(tenantOrder(wish), tenantManifest(wish));
      await vi.waitFor(() => expect(market.known.get(orderName(order))?.bid?.state).toBe('open'), often);
      return order;
    }

    /** Another image, other secrets, and one hostname for another. */
    function update(order: OrderId): void {
      const hosts = [`new-${order.dseq}.example.com`, `www-${order.dseq}.example.com`];
      market.update(order, tenantManifest({ order, hosts, version: 2, reads: true }));
    }

    async function runs(order: OrderId, version: number): Promise<readonly string[]> {
      return await vi.waitFor(async () => {
        const record = await server().client.find(tenantLeaseType, { name: orderName(order) });
        const { manifestHash } = market.known.get(orderName(order))?.lease ?? {};
        expect(record?.status).toMatchObject({ state: 'Active', manifestHash, deployedAt: expect.any(String) });
        expect(record?.status?.reason).not.toBe('NotSeen');
        const state = await stateOf(order);
        expect(state.filter((each) => each.startsWith('Pod '))).toEqual([`Pod ["registry.example/web:${version}","placed"]`]);
        expect(state.join().includes('old-N')).toBe(version === 1);
        expect((await reservationOf(order))?.status?.leaseNamespace?.uid).toBe(record?.status?.namespaceUid);
        expect(await leaked(server().client)).toEqual([]);
        return state;
      }, often);
    }

    async function isGone(order: OrderId): Promise<readonly string[]> {
      return await vi.waitFor(async () => {
        const state = await stateOf(order);
        expect(state.map((each) => each.split(' ')[0])).toEqual(['TenantLease']);
        expect(state[0]).toContain('Complete');
        expect(await reservationOf(order)).toBeUndefined();
        expect(await leaked(server().client)).toEqual([]);
        return state;
      }, often);
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
      let endedBy: string | null | undefined;
      void leader.ended.then((signal) => (endedBy = signal));
      await vi.waitFor(() => expect(endedBy, `the leader did not die at ${step}`).toBe('SIGKILL'), { ...often, timeout: 180_000 });
      await server().client.delete(kinds.leases, { namespace, name: 'cluster' });
      await lead(next);
    }

    async function expectTheRest(order: OrderId, state: readonly string[]): Promise<void> {
      await vi.waitFor(async () => expect(await stateOf(order)).toEqual(state), often);

      expect(await leaked(server().client)).toEqual([]);
      await expectUntouched();
    }

    /** All that there is of a lease, with what is promised to it. */
    async function standing(order: OrderId): Promise<ReadonlyMap<string, string>> {
      const { client } = server();
      const name = orderName(order);
      const promised = [
        { ...(await client.get(reservationType, { name })), kind: reservationType.kind },
        { ...(await client.get(bidDecisionType, { name })), kind: bidDecisionType.kind },
      ];
      const versions = await leaseVersions(client, order);
      return new Map([...versions, ...promised.map((each) => [each.kind, writtenOf([each]).join()] as const)]);
    }

    /** Versions do not come back: what is waited for is that it is seen. */
    const expectUntouched = () => vi.waitFor(async () => expect(await standing(bystander)).toEqual(untouched), often);

    it('has lists of lives that name, over all days, every step that leases define, but for those that no life here gets to', () => {
      for (const [at, steps] of [deploying, changing, ending].entries())
        expect(new Set(lives.map((life) => life[at]))).toEqual(new Set(steps));
      const passed = new Set([...lives.flat(), ...transferring, ...elsewhere]);
      expect([...passed].sort()).toEqual(
        definedSteps()
          .filter((step) => !foreign.has(step.split('/')[0] ?? ''))
          .sort(),
      );
    });

    const live = async (deployed: string, changed: string, ended: string): Promise<void> => {
      const order = await bidFor('alice');
      await diesAt(deployed, () => market.tenant('accept', order));
      await runs(order, 1);
      await expectTheRest(order, whole.deployed);
      await diesAt(changed, () => update(order));
      await runs(order, 2);
      await expectTheRest(order, whole.updated);
      await diesAt(ended, () => market.tenant('close-lease', order));
      await isGone(order);
      await expectTheRest(order, whole.ended);
    };

    it.each(stride === 1 ? transferring : [transferring[offset % transferring.length] ?? ''])(
      'at %s of a transfer of a hostname leaves it with one of the two leases, and the next one gets it through',
      async (step) => {
        const shop = `shop-${step.replaceAll('/', '-')}.example.com`;
        const orders: OrderId[] = [];
        for (const version of [1, 1]) {
          const order = await bidFor('alice', [shop]);
          market.tenant('accept', order);
          await runs(order, version);
          orders.push(order);
        }
        const [from, to] = orders as [OrderId, OrderId];
        const who = await followHostname(server().client, shop);
        onTestFinished(who.end);
        await vi.waitFor(() => expect(who.now()).toEqual(hasIt(from)), often);
        await diesAt(step, () => leader.transfer(to, { hostname: shop, service: 'web', externalPort: 80 }));
        await vi.waitFor(() => expect(who.now()).toEqual(hasIt(to)), often);
        for (const order of orders) await runs(order, 1);
        // At no moment nobody had it, or somebody else.
        expect(who.ever()).toEqual(new Set(orders.flatMap(hasIt)));
        await expectUntouched();
        for (const order of orders) market.tenant('close-lease', order);
        for (const order of orders) await expectTheRest(order, await isGone(order));
      },
      minutes,
    );

    for (let round = 1; round <= rounds; round += 1) {
      const sampled = lives.filter((_, at) => (at + round + offset) % stride === 0);
      it.each(sampled)(
        `at %s of a deployment, %s of a change and %s of an end has it done by the next one (${round} of ${rounds})`,
        async (deployed, changed, ended) => {
          expect.hasAssertions();
          await live(deployed, changed, ended);
        },
        minutes,
      );
    }
  });
}
