import { contractsFolder } from '@quartermaster/api/manifests';
import { type Reservation as ReservationObject, reservationType } from '@quartermaster/api/reservation';
import { type OrderId, orderName, type Reserver } from '@quartermaster/cluster';
import { listenToSteps } from '@quartermaster/kernel';
import { type CacheOpener, type KubeObject, kinds } from '@quartermaster/kube';
import { readManifests } from '@quartermaster/service';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { patience } from '../contract/client-fixtures.ts';
import type { ContractServer } from '../contract/contract-server.ts';
import { type ReplicaOptions, ReservingReplica, tenth } from './reserving-replica.ts';

const order: OrderId = { owner: 'akash1x', dseq: 1n, gseq: 1, oseq: 1 };
const name = orderName(order);

/** The watch of namespaces is open, and has told of none so far. */
const behindOfNamespaces = (caches: CacheOpener): CacheOpener => ({
  open: (options) => caches.open(options.type.kind === kinds.namespaces.kind ? { ...options, labelSelector: 'not-told-yet' } : options),
});

/** What becomes of a promise when a lease comes of it, or when it is given back, while nobody leads or another one begins to. */
export function describePromisesAndLeases(server: () => ContractServer): void {
  describe('a promise', () => {
    let namespace: string;

    beforeAll(async () => {
      const [definition = {}] = await readManifests(contractsFolder, ['reservation']);
      await server().client.apply<KubeObject>(kinds.customResourceDefinitions, definition, { fieldManager: 'test' });
      await vi.waitFor(() => server().client.list(reservationType, { limit: 1 }), patience);
    });

    beforeEach(async () => {
      namespace = await server().namespace();
      await server().client.delete(reservationType, { name });
    });

    async function lead(options: Partial<ReplicaOptions> = {}) {
      const replica = new ReservingReplica({ client: server().client, namespace, identity: 'one', ...options });
      onTestFinished(() => replica.stop());
      return { replica, reserver: await vi.waitUntil(() => replica.reserver, patience) };
    }

    async function reserve(reserver: Reserver) {
      const answer = await reserver.reserve({ order, owner: order.owner, request: tenth });
      if (answer.kind === 'refused') throw new Error(answer.reasons.map(({ message }) => message).join());
      return answer.reservation;
    }

    /** Made by one that leads no longer, and no longer pending for longer than this. */
    async function leftBehind(lifetimeMs: number): Promise<{ readonly uid: string; readonly expiresAt: number }> {
      // Without duties, by which a slow one would end it itself.
      const { replica, reserver } = await lead({ lifetimeMs, hasDuties: false });
      const { uid, expiresAt = 0 } = await reserve(reserver);
      await replica.stop();
      return { uid, expiresAt };
    }

    async function makeNamespace(suffix: string): Promise<{ readonly name: string; readonly uid: string | undefined }> {
      const labels = Object.entries(order).map(([key, value]) => [`akash.network/lease.id.${key}`, String(value)]);
      const made = `${namespace}-${suffix}`;
      const { metadata } = await server().client.create(kinds.namespaces, { metadata: { name: made, labels: Object.fromEntries(labels) } });
      onTestFinished(() => server().client.delete(kinds.namespaces, { name: made }));
      return { name: made, uid: metadata?.uid };
    }

    const stored = (): Promise<ReservationObject | undefined> => server().client.find(reservationType, { name });
    const over = (expiresAt: number) => vi.waitUntil(() => Date.now() > expiresAt, patience);

    /** The machine of the leader was suspended: nothing on it says that the lease may be lost. */
    async function leadSuspended() {
      const awake = new AbortController();
      const led = await lead({
        hasDuties: false,
        leadershipOf: (real) => ({ ...real, signal: awake.signal, remainingMs: () => 60_000, assertHeld: () => {} }),
      });
      onTestFinished(() => awake.abort());
      return led;
    }

    async function takeLease(): Promise<void> {
      const ref = { namespace, name: 'cluster' };
      const lease = await server().client.get(kinds.leases, ref);
      const spec = { ...lease.spec, holderIdentity: 'two', leaseTransitions: (lease.spec?.leaseTransitions ?? 0) + 1 };
      await vi.waitFor(async () => {
        const { metadata } = await server().client.get(kinds.leases, ref);
        await server().client.replace(kinds.leases, { ...lease, metadata, spec });
      }, patience);
    }

    const noLongerLeads = { code: 'unavailable', message: expect.stringContaining('no longer leads') };
    const watches = [
      ['is followed', undefined],
      ['is not followed yet', behindOfNamespaces],
    ] as const;

    it.each(watches)(
      'is kept for the lease that came of it while nobody led, and %s, though its time is over since',
      async (_, following) => {
        const { uid, expiresAt } = await leftBehind(1_000);
        const leaseNamespace = await makeNamespace('lease');
        await over(expiresAt);
        await lead({ identity: 'two', following });
        await expect.poll(async () => (await stored())?.status, patience).toMatchObject({ phase: 'Active', leaseNamespace });
        expect((await stored())?.metadata?.uid).toBe(uid);
      },
    );

    it.each(watches)('is what whoever asks again is answered when a lease came of it while nobody led, and %s', async (_, following) => {
      const { uid, expiresAt } = await leftBehind(1_000);
      const leaseNamespace = await makeNamespace('lease');
      await over(expiresAt);
      const { reserver } = await lead({ identity: 'two', hasDuties: false, following });
      expect(await vi.waitFor(() => reserve(reserver), patience)).toMatchObject({ uid, phase: 'active', leaseNamespace });
    });

    it('records no namespace while two claim to be the one of its lease, and does not expire', async () => {
      const { uid, expiresAt } = await leftBehind(1_000);
      const [first, second] = [await makeNamespace('a'), await makeNamespace('b')];
      await over(expiresAt);
      const { reserver } = await lead({ identity: 'two' });
      await expect
        .poll(async () => (await stored())?.status, patience)
        .toMatchObject({ phase: 'Pending', conditions: [{ type: 'LeaseNamespaceAmbiguous', status: 'True' }] });
      await expect(reserve(reserver)).rejects.toMatchObject({ code: 'unavailable' });
      await server().client.delete(kinds.namespaces, { name: first.name });
      await expect
        .poll(async () => (await stored())?.status, patience)
        .toMatchObject({ phase: 'Active', leaseNamespace: second, conditions: [] });
      expect((await stored())?.metadata?.uid).toBe(uid);
    });

    it('is made by nobody who lost the lease while the machine was suspended, and its clock stood still', async () => {
      const { reserver } = await leadSuspended();
      expect((await reserve(reserver)).isConfirmed).toBe(true);
      await reserver.unreserve(order);
      const end = listenToSteps(async (step) => {
        if (step === 'reserve/held') await takeLease();
      });
      onTestFinished(end);
      await expect(reserve(reserver)).rejects.toMatchObject(noLongerLeads);
      expect((await stored())?.status?.confirmed).toBeUndefined();
    });

    it('is answered again by nobody who lost the lease so, and does not know what became of it since', async () => {
      const { reserver } = await leadSuspended();
      const made = await reserve(reserver);
      expect(await reserve(reserver)).toEqual(made);
      await takeLease();
      await expect(reserve(reserver)).rejects.toMatchObject(noLongerLeads);
    });

    it('is given back in the state that it has by then, by the one that leads by then', async () => {
      const { replica, reserver } = await lead();
      const made = await reserve(reserver);
      await reserver.activate(order, { name: 'lease', uid: 'n' });
      const { resourceVersion = '' } = (await stored())?.metadata ?? {};
      // As a request of a former leader that is still on its way when the next one has taken over.
      await replica.stop();
      const { reserver: next } = await lead({ identity: 'two', hasDuties: false });
      const late = server().client.delete(reservationType, { name }, { preconditions: { uid: made.uid, resourceVersion } });
      await expect(late).rejects.toMatchObject({ code: 'aborted' });

      let changes = 0;
      const end = listenToSteps(async (step) => {
        const object = step === 'unreserve/decided' && changes === 0 ? await stored() : undefined;
        if (object === undefined) return;
        changes += 1;
        await server().client.replace(reservationType, { ...object, spec: { ...object.spec, term: object.spec.term + 1 } });
      });
      onTestFinished(end);
      const deletes = vi.spyOn(server().client, 'delete');
      onTestFinished(() => deletes.mockRestore());
      expect((await next.unreserve(order, made.uid))?.uid).toBe(made.uid);
      const preconditions = deletes.mock.calls.map(([, , options]) => options?.preconditions);
      expect(preconditions).toEqual([
        { uid: made.uid, resourceVersion: expect.any(String) },
        { uid: made.uid, resourceVersion: expect.any(String) },
      ]);
      expect([changes, await stored()]).toEqual([1, undefined]);
    });
  });
}
