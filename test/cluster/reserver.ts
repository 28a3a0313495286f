import { contractsFolder } from '@quartermaster/api/manifests';
import { type Reservation as ReservationObject, reservationType } from '@quartermaster/api/reservation';
import { type OrderId, orderName, type Reserver } from '@quartermaster/cluster';
import { one } from '@quartermaster/cluster/testing';
import { codeOf, listenToSteps } from '@quartermaster/kernel';
import { type KubeObject, kinds } from '@quartermaster/kube';
import { readManifests } from '@quartermaster/service';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { patience } from '../contract/client-fixtures.ts';
import type { ContractServer } from '../contract/contract-server.ts';
import { LossyWriter } from './lossy-writer.ts';
import { nodeOf, perNode, type ReplicaOptions, ReservingReplica, tenth } from './reserving-replica.ts';

const orderOf = (dseq: number, owner = 'akash1x'): OrderId => ({ owner, dseq: BigInt(dseq), gseq: 1, oseq: 1 });
const asked = (dseq: number, request = tenth) => ({ order: orderOf(dseq), owner: 'akash1x', request });

/** What becomes of reservations that a leader writes, on a server that nobody else reserves on. */
export function describeReserver(server: () => ContractServer): void {
  describe('a reserver', () => {
    let namespace: string;

    beforeAll(async () => {
      const [definition = {}] = await readManifests(contractsFolder, ['reservation']);
      await server().client.apply<KubeObject>(kinds.customResourceDefinitions, definition, { fieldManager: 'test' });
      await vi.waitFor(() => server().client.list(reservationType, { limit: 1 }), patience);
    });

    beforeEach(async () => {
      namespace = await server().namespace();
      for (const name of (await stored()).keys()) await server().client.delete(reservationType, { name });
    });

    function start(options: Partial<ReplicaOptions> = {}): ReservingReplica {
      const replica = new ReservingReplica({ client: server().client, namespace, identity: 'one', ...options });
      onTestFinished(() => replica.stop());
      return replica;
    }

    async function lead(
      options: Partial<ReplicaOptions> = {},
    ): Promise<{ readonly replica: ReservingReplica; readonly reserver: Reserver }> {
      const replica = start(options);
      return { replica, reserver: await vi.waitUntil(() => replica.reserver, patience) };
    }

    async function stored(): Promise<Map<string, ReservationObject>> {
      const { items } = await server().client.list(reservationType);
      return new Map(items.map((item) => [item.metadata?.name ?? '', item]));
    }

    async function reserve(reserver: Reserver, dseq: number, request = tenth) {
      const answer = await reserver.reserve(asked(dseq, request));
      if (answer.kind === 'refused') throw new Error(answer.reasons.map(({ message }) => message).join());
      return answer.reservation;
    }

    const free = (replica: ReservingReplica, node = 'n1'): number =>
      [...replica.book.stock.nodes].reduce((sum, each) => (each.name === node ? sum + each.room.cpu / 1_000 : sum), 0);

    /** As a former leader leaves it behind. */
    async function plant(dseq: number, { confirmed = false, term = 1, dseqText = String(dseq) } = {}): Promise<ReservationObject> {
      const order = orderOf(dseq);
      const planned = {
        id: 1,
        cpuMillis: 1_000,
        memoryBytes: 2 ** 30,
        ephemeralStorageBytes: 0,
        replicas: [{ node: 'n1', nodeUid: 'uid-n1' }],
      };
      const spec = {
        order: { ...order, dseq: dseqText },
        owner: order.owner,
        units: [{ id: 1, count: 1, cpuMillis: 1_000, memoryBytes: 2 ** 30 }],
        plan: { units: [planned], ports: 0, leasedIps: 0 },
        term,
      };
      const made = await server().client.create(reservationType, { metadata: { name: orderName(order) }, spec });
      return confirmed ? await confirm(made) : made;
    }

    const confirm = (object: ReservationObject) =>
      server().client.replace(reservationType, { ...object, status: { confirmed: true, phase: 'Pending' } }, { subresource: 'status' });

    it('makes a promise that every replica knows, once for each order, and gives it back at once', async () => {
      const { replica, reserver } = await lead();
      const other = start({ identity: 'two' });
      const made = await reserve(reserver, 1);
      expect((await stored()).get(made.name)).toMatchObject({
        metadata: { uid: made.uid },
        spec: { order: { dseq: '1' }, owner: 'akash1x', plan: { units: [{ replicas: [{ node: 'n1' }] }] } },
        status: { confirmed: true, phase: 'Pending' },
      });
      expect(await reserve(reserver, 1)).toEqual(made);
      await expect(reserver.reserve(asked(1, one({ cpuMillis: 2_000 })))).rejects.toMatchObject({ code: 'already_exists' });
      await expect.poll(() => [other.book.reservation(made.name)?.isConfirmed, free(other)], patience).toEqual([true, perNode - 1]);
      expect(other.reserver).toBeUndefined();

      expect(await reserver.unreserve(orderOf(1), 'another')).toBeUndefined();
      expect((await reserver.unreserve(orderOf(1), made.uid))?.uid).toBe(made.uid);
      expect([free(replica), (await stored()).size]).toEqual([perNode, 0]);
      expect(await reserver.unreserve(orderOf(1))).toBeUndefined();
      await expect.poll(() => free(other), patience).toBe(perNode);
      expect((await reserve(reserver, 1)).uid).not.toBe(made.uid);
    });

    it('never promises more than there is, however many ask at once', async () => {
      const { replica, reserver } = await lead();
      const orders = Array.from({ length: perNode * 4 }, (_, dseq) => dseq);
      const answers = await Promise.all(orders.map((dseq) => reserver.reserve(asked(dseq))));
      expect(answers.filter(({ kind }) => kind === 'reserved')).toHaveLength(perNode);
      const objects = [...(await stored()).values()];
      expect(objects.filter(({ status }) => status?.confirmed)).toHaveLength(perNode);
      expect([objects.length, free(replica)]).toEqual([perNode, 0]);
    });

    it('refuses calls beyond those that may wait, and writes nothing for them', async () => {
      const { reserver } = await lead({ turns: { atOnce: 1, maxCalls: 3 } });
      const answers = [1, 2, 3, 4, 5].map((dseq) =>
        reserver.reserve(asked(dseq)).then(
          ({ kind }) => kind,
          (thrown: unknown) => codeOf(thrown),
        ),
      );
      expect(await Promise.all(answers)).toEqual(['reserved', 'reserved', 'reserved', 'resource_exhausted', 'resource_exhausted']);
      expect((await stored()).size).toBe(3);
    });

    it('gives back what is still pending after its time, and keeps what a lease came of', async () => {
      const { replica, reserver } = await lead();
      const active = await reserve(reserver, 2);
      const short = await reserver.reserve({ ...asked(1), lifetimeMs: 500 });
      if (short.kind === 'refused') throw new Error('there was no room');
      const { reservation: made } = short;
      const leaseNamespace = { name: 'lease-2', uid: 'u' };
      const activated = await reserver.activate(orderOf(2), leaseNamespace);
      expect(activated).toMatchObject({ phase: 'active', leaseNamespace });
      expect(await reserver.activate(orderOf(2), leaseNamespace)).toEqual(activated);
      await expect(reserver.activate(orderOf(3), leaseNamespace)).rejects.toMatchObject({ code: 'not_found' });
      await expect.poll(async () => [...(await stored()).keys()], patience).toEqual([active.name]);
      await expect.poll(() => [replica.book.reservation(made.name), free(replica)], patience).toEqual([undefined, perNode - 1]);
      expect((await stored()).get(active.name)?.status).toMatchObject({ phase: 'Active', leaseNamespace });
    });

    it('records the namespace of a lease by its labels, and the one that takes its place', async () => {
      const { client } = server();
      const { reserver } = await lead();
      const made = await reserve(reserver, 7);
      const labels = { owner: 'akash1x', dseq: '7', gseq: '1', oseq: '1' };
      const metadata = {
        labels: Object.fromEntries(Object.entries(labels).map(([key, value]) => [`akash.network/lease.id.${key}`, value])),
      };
      const recorded = async () => (await stored()).get(made.name)?.status?.leaseNamespace;
      const [first, second] = [`${namespace}-a`, `${namespace}-b`];
      const { uid } = (await client.create(kinds.namespaces, { metadata: { ...metadata, name: first } })).metadata ?? {};
      await expect.poll(recorded, patience).toEqual({ name: first, uid });
      await client.delete(kinds.namespaces, { name: first });
      const next = await client.create(kinds.namespaces, { metadata: { ...metadata, name: second } });
      await expect.poll(recorded, patience).toEqual({ name: second, uid: next.metadata?.uid });
      await client.delete(kinds.namespaces, { name: second });
    });

    it('plans what is pending anew when its node goes, and says so when there is no other place', async () => {
      const { replica, reserver } = await lead({ nodes: ['n1'] });
      const made = await reserve(reserver, 1);
      const object = async () => (await stored()).get(made.name);
      replica.book.removeNode('n1');
      await expect
        .poll(async () => (await object())?.status?.conditions, patience)
        .toMatchObject([{ type: 'Unplaceable', status: 'True' }]);
      replica.book.setNode(nodeOf('n2'));
      await expect.poll(async () => (await object())?.spec.plan.units[0]?.replicas[0]?.node, patience).toBe('n2');
      await expect.poll(async () => (await object())?.status?.conditions, patience).toEqual([]);
      expect([replica.book.reservation(made.name)?.isConfirmed, free(replica, 'n2')]).toEqual([true, perNode - 1]);
    });

    it.each(['before', 'after'] as const)('counts both plans while it is not known which of them is written (lost %s)', async (when) => {
      const lossy = new LossyWriter(server().client);
      const { replica, reserver } = await lead({ through: () => lossy });
      const made = await reserve(reserver, 1);
      replica.book.setNode(nodeOf('n2'));
      lossy.lose('patch', when);
      const both = new Promise<readonly number[]>((resolve) => {
        lossy.onLoss = () => resolve([free(replica, 'n1'), free(replica, 'n2')]);
      });
      replica.book.removeNode('n1');
      expect(await both).toEqual([-1, perNode - 1]);
      await expect.poll(() => free(replica, 'n1'), patience).toBe(0);
      expect([free(replica, 'n2'), (await stored()).get(made.name)?.spec.plan.units[0]?.replicas[0]?.node]).toEqual([perNode - 1, 'n2']);
    });

    it.each(['create', 'patch', 'delete'] as const)('finds out what became of a %s whose answer is lost', async (method) => {
      const lossy = new LossyWriter(server().client);
      const { replica, reserver } = await lead({ through: () => lossy });
      const kept = method === 'delete' ? await reserve(reserver, 1) : undefined;
      const ask = (): Promise<unknown> => (kept === undefined ? reserver.reserve(asked(1)) : reserver.unreserve(orderOf(1)));
      for (const when of ['before', 'after'] as const) {
        lossy.lose(method, when);
        await expect(ask()).rejects.toMatchObject({ code: 'unavailable' });
        // In doubt it counts, unless the watch shows already that it is gone, and whoever asks again meanwhile is told to ask again.
        if (kept === undefined || when === 'before') expect(free(replica)).toBe(perNode - 1);
        await expect(reserver.reserve(asked(1))).rejects.toMatchObject({ code: 'unavailable' });
        const answer = await vi.waitFor<unknown>(() => ask(), patience);
        if (kept === undefined) {
          expect(answer).toMatchObject({ kind: 'reserved', reservation: { isConfirmed: true } });
          expect([...(await stored()).values()].map(({ status }) => status?.confirmed)).toEqual([true]);
          await reserver.unreserve(orderOf(1));
        } else {
          expect((await stored()).size).toBe(0);
          await reserve(reserver, 1);
        }
      }
      if (kept !== undefined) await reserver.unreserve(orderOf(1));
      expect([free(replica), (await stored()).size]).toEqual([perNode, 0]);
    });

    it('begins with what was promised, and with nothing that was not', async () => {
      const [promised, attempted, confirmedLate] = [await plant(1, { confirmed: true, term: 40 }), await plant(2), await plant(3)];
      const end = listenToSteps(async (step) => {
        // Its leader was faster than we.
        if (step === 'take-over/listed') await confirm(confirmedLate);
      });
      onTestFinished(end);
      const { replica, reserver } = await lead();
      const names = [promised, confirmedLate].map(({ metadata }) => metadata?.name ?? '');
      const found = await stored();
      expect([...found.keys()].toSorted()).toEqual(names);
      expect(names.map((name) => found.get(name)?.spec.term)).toEqual([41, 41]);
      expect(free(replica)).toBe(perNode - 2);
      // What a former leader would still write is refused.
      await expect(confirm(attempted)).rejects.toMatchObject({ code: 'not_found' });
      await expect(server().client.replace(reservationType, promised)).rejects.toMatchObject({ code: 'aborted' });
      expect((await reserve(reserver, 2)).term).toBe(41);

      const late = await plant(9, { term: 40 });
      await expect.poll(async () => (await stored()).has(late.metadata?.name ?? ''), patience).toBe(false);
      await expect.poll(() => free(replica), patience).toBe(perNode - 3);
    });

    it('takes the place of an attempt that a former leader left, and answers a promise that it did not know of', async () => {
      const { replica, reserver } = await lead();
      let planted: Promise<ReservationObject> | undefined;
      const end = listenToSteps(async (step) => {
        if (step === 'reserve/held') await (planted ??= plant(1));
      });
      onTestFinished(end);
      const made = await reserve(reserver, 1);
      expect(made.uid).not.toBe((await planted)?.metadata?.uid);
      expect([(await stored()).get(made.name)?.metadata?.uid, free(replica)]).toEqual([made.uid, perNode - 1]);
    });

    it('promises nothing while it cannot say what another reservation holds', async () => {
      const { reserver } = await lead();
      const odd = await plant(1, { confirmed: true, dseqText: '99999999999999999999' });
      const refusal = { kind: 'refused', why: 'not-known', reasons: [{ code: 'ReservationUnreadable' }] };
      await expect.poll(() => reserver.reserve(asked(2)), patience).toMatchObject(refusal);
      await server().client.delete(reservationType, { name: odd.metadata?.name ?? '' });
      await expect.poll(() => reserver.reserve(asked(2)), patience).toMatchObject({ kind: 'reserved' });
    });
  });
}
