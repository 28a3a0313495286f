import { type OrderId, orderName, type Reservation } from '@quartermaster/cluster';
import {
  LeaseProcess,
  RecordedMarket,
  type TenantWish,
  tenantManifest,
  tenantOrder,
  tenantReservation,
} from '@quartermaster/cluster/testing';
import { type Clock, systemClock } from '@quartermaster/kernel';
import { kinds, startCache } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { patience } from '../inventory/operator-cluster.ts';
import { namespaceOf } from '../leases/crash-state.ts';
import { type LeasedCluster, nodeSpec, startSimulatedLeasedCluster } from '../leases/leased-cluster.ts';
import { testDay } from '../leases/test-day.ts';
import { times } from '../support/soak.ts';
import { addressesIn, addressPool, claimsIn, declaredIn } from './address-site.ts';

type Fate = 'dies' | 'hears-nothing';

/** Waits are short: what takes seconds by it is looked for all the time. */
const hasty: Clock = { ...systemClock, schedule: (ms, callback) => systemClock.schedule(ms / 20, callback) };
const often = { ...patience, interval: 25 };
const never = new AbortController().signal;
const minutes = 300_000;
const stride = times(3, 1);

/** Both leases have the endpoint at the same port, so that no Service can share the address with one of the other lease. */
describe('an address that migrates, when the leader', () => {
  const market = new RecordedMarket([], systemClock);
  const reservations = new Map<string, Reservation>();
  let cluster: LeasedCluster;
  let leader: LeaseProcess;
  let leases: readonly [OrderId, OrderId];
  let bystander: OrderId;
  let dseq = 920_000_000n;

  const start = (): Promise<LeaseProcess> => LeaseProcess.start({ client: cluster.client, market, reservations, clock: hasty });
  const at = (order: OrderId) => ({ namespace: namespaceOf(order) });
  const addressesOf = (order: OrderId) => addressesIn(cluster.client, at(order));
  const declaredOf = (order: OrderId) => declaredIn(cluster.client, at(order));

  async function deploy(owner: string): Promise<OrderId> {
    dseq += 1n;
    const wish: TenantWish = { order: { owner, dseq, gseq: 1, oseq: 1 }, hosts: [`w-${dseq}.example.com`], ip: 'front' };
    reservations.set(orderName(wish.order), tenantReservation(wish));
    market.order(tenantOrder(wish), tenantManifest(wish));
    await market.createBid(wish.order, { price: { denom: 'uakt', amount: '1' }, cards: new Map() });
    market.tenant('accept', wish.order);
    await vi.waitFor(async () => expect(Object.values(await addressesOf(wish.order))).toEqual([expect.stringMatching(/^192/)]), often);
    return wish.order;
  }

  beforeAll(async () => {
    cluster = await startSimulatedLeasedCluster([nodeSpec('n-1', 1), nodeSpec('n-2', 2)], { addresses: addressPool });
    leader = await start();
    leases = [await deploy('alice'), await deploy('alice')];
    bystander = await deploy('alice');
  }, minutes);

  afterAll(async () => {
    await leader?.stop();
    await cluster?.stop();
  });

  /** What must not be at any moment: that two leases have one address, or that nobody has it or asks for it. */
  async function followFaults() {
    const has = new Map<string, { readonly ip: string; readonly asked: string }>(); // Service -> its address
    const faults: string[] = [];
    const others = (ip: string, own: string) =>
      [...has].filter(([key, each]) => key !== own && ip !== '' && [each.ip, each.asked].includes(ip));
    const cache = startCache(cluster.client, {
      type: kinds.services,
      project: ({ metadata, status }) => ({
        ip: status?.loadBalancer?.ingress?.[0]?.ip ?? '',
        asked: metadata?.annotations?.['metallb.io/loadBalancerIPs'] ?? '',
      }),
    });
    const see = ({ key, value }: { readonly key: string; readonly value: { readonly ip: string; readonly asked: string } }): void => {
      has.set(key, value);
      if (others(value.ip, key).some(([, { ip }]) => ip === value.ip)) faults.push(`two have ${value.ip}`);
    };
    const gone = ({ key, value }: Parameters<typeof see>[0]): void => {
      has.delete(key);
      if (value.ip !== '' && others(value.ip, key).length === 0) faults.push(`nobody asks for ${value.ip}`);
    };
    cache.subscribe({ added: see, updated: see, deleted: gone });
    await cache.whenSynced();
    return { faults, end: () => cache.stop() };
  }

  interface Cause {
    readonly cause: () => unknown;
    /** Whoever asked a leader that is dead was told nothing, and asks the next one. */
    readonly again?: () => Promise<unknown>;
  }

  /** Has the leader do it, and meet its fate at its n-th write from then on. Whether it met it. */
  async function undergo(fate: Fate, n: number, { cause, again }: Cause, comesTo: () => Promise<void>): Promise<boolean> {
    const { writer } = leader;
    writer.meets(fate, n);
    cause();
    let isOver = false;
    const outcome = vi.waitFor(comesTo, often).finally(() => (isOver = true));
    const told = outcome.catch(() => {});
    await vi.waitUntil(() => isOver || writer.isDead, { ...often, timeout: minutes });
    const { wasMet } = writer;
    writer.meets(fate, Number.POSITIVE_INFINITY);
    if (writer.isDead) {
      await leader.stop();
      leader = await start();
      if (again !== undefined) await vi.waitFor(again, often);
    }
    await told;
    await outcome;
    return wasMet;
  }

  it.each<Fate>(['dies', 'hears-nothing'])(
    '%s after every write of a move, leads to one of the two leases, and comes where it was sent',
    async (fate) => {
      const [first] = leases;
      const address = (await addressesOf(first))['front:8443'];
      const others = await addressesOf(bystander);
      const { faults, end } = await followFaults();
      let last = 0;
      for (let n = 1, isMet = true; isMet; n += 1) {
        const [to, from] = n % 2 === 1 ? [leases[1], leases[0]] : leases;
        const again = async () => await leader.actions.transferAddress(to, { endpoint: 'front', from }, never);
        isMet = await undergo(fate, n, { cause: () => void again().catch(() => {}), again }, async () => {
          expect([await addressesOf(to), await addressesOf(from)]).toEqual([{ 'front:8443': address }, {}]);
          expect([await declaredOf(to), await declaredOf(from)]).toEqual([[`${namespaceOf(to)}-ip-front:8443`], []]);
          expect(await claimsIn(cluster.client)).toMatchObject([{ address, lease: orderName(to), formerly: [orderName(from)] }]);
          expect(leader.unrest).toEqual([]);
        });
        if (isMet) last = n;
      }
      expect(last).toBeGreaterThan(4);
      expect(faults).toEqual([]);
      expect(await addressesOf(bystander)).toEqual(others);
      // The next fate begins with the first lease again.
      const isBack = async () => expect(await addressesOf(first)).toEqual({ 'front:8443': address });
      await leader.actions.transferAddress(first, { endpoint: 'front', from: leases[1] }, never).catch(() => {});
      await vi.waitFor(isBack, often);
      await end();
    },
    minutes,
  );

  it(
    `dies after ${stride === 1 ? 'every write' : `one write in ${stride}`} of the end of the lease that has it, leaves nothing of it behind`,
    async () => {
      for (let n = 1 + (testDay % stride), isMet = true; isMet; n += stride) {
        const [from, to] = [await deploy('bob'), await deploy('bob')];
        await leader.actions.transferAddress(to, { endpoint: 'front', from }, never);
        await vi.waitFor(async () => expect(await addressesOf(from)).toEqual({}), often);
        const cause = () => market.tenant('close-lease', to);
        isMet = await undergo('dies', n, { cause }, async () => {
          expect((await claimsIn(cluster.client)).filter(({ owner }) => owner === 'bob')).toEqual([]);
          expect(Object.keys(await addressesOf(from))).toEqual(['front:8443']);
          expect([await addressesOf(to), await declaredOf(to)]).toEqual([{}, []]);
          expect(leader.unrest).toEqual([]);
        });
        market.tenant('close-lease', from);
        expect(n).toBeLessThan(30);
      }
    },
    minutes,
  );
});
