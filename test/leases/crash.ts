import { hostnameClaimType } from '@quartermaster/api/hostname-claim';
import { contractsFolder } from '@quartermaster/api/manifests';
import { tenantLeaseType } from '@quartermaster/api/tenant-lease';
import { type OrderId, orderName, type Reservation } from '@quartermaster/cluster';
import {
  fuseName,
  LeaseProcess,
  RecordedMarket,
  type TenantWish,
  tenantManifest,
  tenantOrder,
  tenantReservation,
} from '@quartermaster/cluster/testing';
import { type Clock, systemClock } from '@quartermaster/kernel';
import { type KubeObject, kinds } from '@quartermaster/kube';
import { readManifests } from '@quartermaster/service';
import type { NodePool } from '@quartermaster/simulator';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { patience } from '../contract/client-fixtures.ts';
import type { ContractServer } from '../contract/contract-server.ts';
import { times } from '../support/soak.ts';
import { followHostname, followRecords, hasIt, leaked, leaseState, leaseVersions, namespaceOf } from './crash-state.ts';
import { nodeSpec, startNodes } from './leased-cluster.ts';

const never = new AbortController().signal;
const contracts = ['tenant-lease', 'manifest', 'provider-host', 'provider-leased-ip', 'hostname-claim', 'address-claim', 'tenant-shell'];
/** Waits are short: what takes seconds by it is looked for all the time. */
const hasty: Clock = { ...systemClock, schedule: (ms, callback) => systemClock.schedule(ms / 20, callback) };
const often = { ...patience, interval: 50 };

/** A real control plane takes seconds to take a namespace away, and there is a life for each write. */
const minutes = times(300_000, 1_800_000);
type Fate = 'dies' | 'hears-nothing';
const fates: readonly { readonly fate: Fate }[] = [{ fate: 'dies' }, { fate: 'hears-nothing' }];

const writesMet = (stride: number, day: number): string =>
  stride === 1 ? 'every write' : `one write in ${stride}, those of day ${day % stride},`;

/**
 * Leaders of leases that die, or hear no answer, after each write, or one in so many: with as many days in a row, after each. They write with the plain client and without
 * election, and reservations are in memory: killed-lease.ts has the real ones.
 */
export function describeCrashes(server: () => ContractServer, strides: Readonly<Record<Fate, number>>, day: number): void {
  describe('a lease, when the leader', () => {
    const market = new RecordedMarket([], systemClock);
    const reservations = new Map<string, Reservation>();
    const bystanders: OrderId[] = [];
    /** By leaders that are dead. */
    const written: string[] = [];
    /** How a lease is that nothing happens to. */
    let whole: { readonly deployed: readonly string[]; readonly updated: readonly string[]; readonly ended: readonly string[] };
    let before: readonly ReadonlyMap<string, string>[];
    let records: Awaited<ReturnType<typeof followRecords>>;
    let leader: LeaseProcess;
    let nodes: NodePool;
    let dseq = 0n;

    beforeAll(async () => {
      for (const definition of await readManifests(contractsFolder, contracts))
        await server().client.apply<KubeObject>(kinds.customResourceDefinitions, definition, { fieldManager: 'test' });
      for (const type of [tenantLeaseType, hostnameClaimType])
        await vi.waitFor(() => server().client.list(type as typeof tenantLeaseType, { limit: 1 }), patience);
      // No pod is given a node that is not heard of.
      nodes = await startNodes(server().client, [nodeSpec('node-0', 1), nodeSpec('node-1', 2)]);
      leader = await start();
      for (const owner of ['alice', 'bob']) bystanders.push(await deploy(wish(owner)));
      for (const each of bystanders) await settled(each);
      before = await vi.waitFor(async () => {
        for (const each of bystanders) await expectSettled(each);
        return await versions();
      }, often);
      records = await followRecords(server().client, bystanders);
      const one = await deploy(wish('alice'));
      const deployed = await settled(one);
      update(one);
      const updated = await settled(one);
      close(one);
      whole = { deployed, updated, ended: await settled(one) };
    }, minutes);

    afterAll(async () => {
      await records?.end();
      await leader?.stop();
      await nodes?.stop();
    });

    beforeEach(() => {
      written.length = 0;
      leader.writer.sent.length = 0;
    });

    const start = (): Promise<LeaseProcess> => LeaseProcess.start({ client: server().client, market, reservations, clock: hasty });
    const versions = () => Promise.all(bystanders.map((each) => leaseVersions(server().client, each)));
    /** Versions do not come back: what is waited for is that they are seen, which they are not for moments on a busy machine. */
    const expectUntouched = () => vi.waitFor(async () => expect(await versions()).toEqual(before), often);

    function wish(owner: string, more: readonly string[] = []): TenantWish {
      dseq += 1n;
      // A number that is in nothing else.
      const order = { owner, dseq: 910_000_000n + dseq, gseq: 1, oseq: 1 };
      const hosts = [`old-${order.dseq}.example.com`, `www-${order.dseq}.example.com`, ...more];
      return { order, hosts, keeper: 'db', ip: 'front', reads: true };
    }

    async function deploy(wanted: TenantWish): Promise<OrderId> {
      const { order } = wanted;
      reservations.set(orderName(order), tenantReservation(wanted));
      market.order(tenantOrder(wanted), tenantManifest(wanted));
      await market.createBid(order, { price: { denom: 'uakt', amount: '1' }, cards: new Map() });
      market.tenant('accept', order);
      return order;
    }

    /** Another image, other secrets, other rights, one hostname for another, a port less, and a service in place of one that kept data. */
    function update(order: OrderId): void {
      const hosts = [`new-${order.dseq}.example.com`, `www-${order.dseq}.example.com`];
      market.update(order, {
        ...tenantManifest({ order, hosts, version: 2, keeper: 'store', ip: 'front', reads: true }),
        confirmed: ['db/data'],
      });
    }

    const close = (order: OrderId): void => market.tenant('close-lease', order);

    const recordOf = async (order: OrderId) => (await server().client.find(tenantLeaseType, { name: orderName(order) }))?.status;

    /** Nothing is left to be done, as the leader sees it. */
    const rests = async (): Promise<void> => {
      let writes: readonly string[] = [];
      await vi.waitFor(() => {
        const last = writes;
        writes = leader.writer.sent.slice(-3).map((write) => `${leader.writer.sent.length} ${write}`);
        expect([...leader.unrest, ...writes]).toEqual(last);
      }, often);
    };

    async function expectSettled(order: OrderId): Promise<void> {
      const status = await recordOf(order);
      const { state, manifestHash } = market.known.get(orderName(order))?.lease ?? {};
      expect(status?.state).toBe(state === 'closed' ? 'Complete' : 'Active');
      if (state === 'active') expect(status).toMatchObject({ manifestHash, deployedAt: expect.any(String) });
      // On a busy machine that is so for a moment, and no way for a lease to be at rest.
      expect(status?.reason).not.toBe('NotSeen');
    }

    async function settled(order: OrderId): Promise<readonly string[]> {
      await vi.waitFor(async () => {
        await expectSettled(order);
        // Pods are made by others, in their time, and placed then.
        const images = market.known.get(orderName(order))?.lease?.state === 'active' ? ['keeper', 'web'] : [];
        const pods = (await leaseState(server().client, order)).filter((text) => text.startsWith('Pod '));
        expect(pods.map((text) => /\/(\w+):\d+","placed"/.exec(text)?.[1])).toEqual(images);
      }, often);
      await rests();
      return await leaseState(server().client, order);
    }

    /** Has the leader do it, and meet its fate there. Whether it met it. */
    async function undergo(fate: Fate, n: number, cause: () => void | Promise<void>, comesTo: () => Promise<void>): Promise<boolean> {
      const { writer } = leader;
      writer.meets(fate, n);
      await cause();
      const outcome = comesTo().then(
        () => 'come' as const,
        (thrown: unknown) => ({ thrown }),
      );
      let isOver = false;
      void outcome.finally(() => (isOver = true));
      // Longer than what it waits for, which says what did not come about.
      await vi.waitUntil(() => isOver || writer.isDead, { ...often, timeout: 2 * often.timeout });
      const { wasMet } = writer;
      writer.meets(fate, Number.POSITIVE_INFINITY);
      if (writer.isDead) {
        written.push(...writer.sent);
        await leader.stop();
        leader = await start();
      }
      const came = await outcome;
      if (came !== 'come') throw new Error(`it did not come about after write ${n}, ${writer.sent.at(-1)}`, { cause: came.thrown });
      return wasMet;
    }

    const comes = (order: OrderId, expected: readonly string[]) => async (): Promise<void> => {
      await vi.waitFor(async () => {
        // All of it is looked at only once the rest can be so.
        await expectSettled(order);
        expect(leader.unrest).toEqual([]);
        expect(await leaseState(server().client, order)).toEqual(expected);
      }, often);
    };

    /** Nothing is leaked, and nothing was written but to these leases. Gives what was. */
    async function expectNothingElse(of: readonly OrderId[]): Promise<readonly string[]> {
      await rests();
      written.push(...leader.writer.sent.splice(0));
      const own = of.flatMap((each) => [orderName(each), namespaceOf(each)]);
      // To a record of which nothing is seen nothing is written.
      const ofRecords = () => records.written().map((name) => ` TenantLease ${name}`);
      // Those of claims are hashes: whose claims were touched is seen by their versions. What fuses store is of all leases.
      const isTheirs = (write: string): boolean =>
        / (HostnameClaim|ProviderHost) /.test(write) || [...own, ...ofRecords(), fuseName].some((name) => write.includes(name));
      await vi.waitFor(() => expect(written.filter((write) => !isTheirs(write))).toEqual([]), often);
      expect(records.others()).toEqual([]);
      expect(await leaked(server().client)).toEqual([]);
      return written.splice(0);
    }

    it('lives, is deployed, changed and taken away as a whole', async () => {
      expect(whole.deployed).toEqual(
        expect.arrayContaining([
          'Pod ["registry.example/web:1","placed"]',
          'Pod ["registry.example/keeper:1","placed"]',
          'HostnameClaim ["old-N.example.com","Held"]',
        ]),
      );
      const kindsOf = (state: readonly string[]) => [...new Set(state.map((text) => text.split(' ')[0] ?? ''))].sort();
      expect(kindsOf(whole.deployed)).toEqual([
        ...['ConfigMap', 'Deployment', 'HostnameClaim', 'Manifest', 'Namespace', 'NetworkPolicy'],
        ...['PersistentVolumeClaim', 'Pod', 'ProviderHost', 'ProviderLeasedIP'],
        ...['ResourceQuota', 'Role', 'RoleBinding', 'Secret', 'Service', 'ServiceAccount', 'StatefulSet', 'TenantLease'],
      ]);
      const [deployed, updated] = [whole.deployed.join('\n'), whole.updated.join('\n')];
      expect([deployed.includes('9000'), deployed.includes('pods/log')]).toEqual([true, true]);
      expect([updated.includes('9000'), updated.includes('pods/log')]).toEqual([false, false]);
      expect(updated).not.toContain('old-N');
      expect(updated).not.toContain(' db');
      expect(whole.updated).toContain('HostnameClaim ["new-N.example.com","Held"]');
      expect(whole.ended.map((text) => text.split(' ')[0])).toEqual(['TenantLease']);
      expect(await leaked(server().client)).toEqual([]);
    });

    it.each(fates.map(({ fate }) => ({ fate, which: writesMet(strides[fate], day) })))(
      '$fate after $which of its deployment, its change and its end, comes to the same',
      async ({ fate }) => {
        const met = [0, 0, 0];
        for (let n = 1 + (day % strides[fate]), isMet = [true]; isMet.includes(true); n += strides[fate]) {
          const wanted = wish('alice');
          const { order } = wanted;
          isMet = [
            await undergo(fate, n, async () => void (await deploy(wanted)), comes(order, whole.deployed)),
            await undergo(fate, n, () => update(order), comes(order, whole.updated)),
            await undergo(fate, n, () => close(order), comes(order, whole.ended)),
          ];
          for (const [at, each] of isMet.entries()) if (each) met[at] = n;
          expect(await expectNothingElse([order])).toContain(`replace ConfigMap lease/${fuseName}`);
        }
        for (const writes of met) expect(writes).toBeGreaterThan(5);
        await expectUntouched();
      },
      minutes,
    );

    it.each(fates)(
      '$fate after every write of a transfer of its hostname, has it or the other lease does',
      async ({ fate }) => {
        const shop = `shop-${fate}.example.com`;
        const leases = [await deploy(wish('alice', [shop]))];
        await settled(leases[0] as OrderId);
        leases.push(await deploy(wish('alice', [shop])));
        await settled(leases[1] as OrderId);
        const who = await followHostname(server().client, shop);
        onTestFinished(who.end);
        let last = 0;
        const transfer = (to: OrderId): void => {
          const wanted = { hostname: shop, service: 'web', externalPort: 80, isStatic: false };
          // Whoever asks may be told nothing: what became of it is looked at.
          leader.actions.transferHostname(to, wanted, never).catch(() => {});
        };
        for (let n = 1, isMet = true; isMet; n += 1) {
          const to = leases[n % 2] as OrderId;
          isMet = await undergo(
            fate,
            n,
            () => transfer(to),
            async () => await vi.waitFor(() => expect(who.now()).toEqual(hasIt(to)), often),
          );
          if (isMet) last = n;
          await expectNothingElse(leases);
        }
        expect(last).toBeGreaterThan(1);
        // At no moment nobody has it, or somebody else.
        expect(who.ever()).toEqual(new Set(leases.flatMap(hasIt)));
        for (const each of leases) close(each);
        for (const each of leases) expect(await settled(each)).toEqual(whole.ended);
        await expectNothingElse(leases);
        await expectUntouched();
      },
      minutes,
    );
  });
}
