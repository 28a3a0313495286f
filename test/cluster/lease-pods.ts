import { ReservationPhase, VolumeKind } from '@quartermaster/api/cluster';
import { reservationType } from '@quartermaster/api/reservation';
import { kinds } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OperatorCluster, patience } from '../inventory/operator-cluster.ts';
import { type ClusterSite, startSite } from './cluster-site.ts';
import { CountedOnce } from './counted-once.ts';

const nodes = ['n-1', 'n-2', 'n-3'];
const perNode = 16_000;
const gib = 2n ** 30n;
/** As every pod here has. */
const volumes = [{ kind: VolumeKind.EPHEMERAL, name: 'tmp', bytes: 3n * gib }];
const owner = 'akash1tenant';
const orderOf = (dseq: number) => ({ owner, dseq: BigInt(dseq), gseq: 1, oseq: 1 });
const labelsOf = (dseq: number) => ({
  'akash.network/lease.id.owner': owner,
  'akash.network/lease.id.dseq': String(dseq),
  'akash.network/lease.id.gseq': '1',
  'akash.network/lease.id.oseq': '1',
});

/** Pods of leases that come, move and go while their reservations stand. The tests build on each other. The cluster must finish the deletion of namespaces. */
export function describeLeasePods(start: () => Promise<OperatorCluster>): void {
  describe('pods of a lease, and the reservation that it was made of', () => {
    let site: ClusterSite;
    let counted: CountedOnce;

    beforeAll(async () => {
      counted = new CountedOnce();
      site = await startSite(await start(), {
        nodes,
        resources: { cpu: String(perNode / 1000), memory: '64Gi', 'ephemeral-storage': '100Gi', pods: '110' },
        args: ['--cluster-pending-owner-share=1', '--cluster-pending-share=1'],
      });
    });

    afterAll(async () => {
      await site?.stop();
      counted?.end();
    });

    const api = () => {
      const [replica] = site.replicas;
      if (replica === undefined) throw new Error('there is no replica');
      return replica.client();
    };

    async function addNamespace(name: string, dseq: number): Promise<string> {
      const { client } = site.cluster;
      const made = await client.create(kinds.namespaces, { metadata: { name, labels: labelsOf(dseq) } });
      const account = { metadata: { namespace: name, name: 'default' } };
      await client.apply(kinds.serviceAccounts, account, { fieldManager: 'test', force: true });
      return made.metadata?.uid ?? '';
    }

    async function addPod(namespace: string, name: string, node: string, { cpu, memory = '1Gi' }: { cpu: string; memory?: string }) {
      const labels = { 'akash.network/lease.id.dseq': namespace.replace('tenant-', '') };
      const containers = [
        { name: 'main', image: 'registry.invalid/plain', resources: { requests: { cpu, memory, 'ephemeral-storage': '3Gi' } } },
      ];
      await site.cluster.client.create(kinds.pods, { metadata: { namespace, name, labels }, spec: { nodeName: node, containers } });
    }

    const removePod = (namespace: string, name: string) =>
      site.cluster.client.delete(kinds.pods, { namespace, name }, { gracePeriodSeconds: 0 });

    const setPhase = (namespace: string, name: string, phase: string) =>
      site.cluster.client.patch(kinds.pods, { namespace, name }, { kind: 'merge', body: { status: { phase } } }, { subresource: 'status' });

    /** Of the reservation: phase, uid of its namespace, millicores of its pods and those held beside them. */
    async function figures(dseq: number) {
      const { reservation } = await api().getReservation({ order: orderOf(dseq) });
      const { phase, leaseNamespace, allocated, held } = reservation ?? {};
      return { phase, namespace: leaseNamespace?.uid ?? '', pods: allocated?.cpuMillis, held: held?.cpuMillis };
    }

    const available = async () => (await api().getStatus({})).availability?.cpu?.available;
    const total = BigInt(perNode * nodes.length);

    async function plannedOn(dseq: number): Promise<readonly string[]> {
      const { spec } = await site.cluster.client.get(reservationType, { name: `${owner}-${dseq}-1-1` });
      return spec.plan.units.flatMap(({ replicas }) => replicas.map(({ node }) => node));
    }

    it('are counted beside it until it knows their namespace, and then as a part of it', async () => {
      const request = { units: [{ id: 1, count: 4, cpuMillis: 2000n, memoryBytes: gib, volumes }] };
      expect((await api().reserve({ order: orderOf(1), request })).outcome.case).toBe('reservation');
      const { client } = site.cluster;
      // Pods that are there before their namespace says whose they are.
      await client.create(kinds.namespaces, { metadata: { name: 'tenant-1' } });
      await client.apply(
        kinds.serviceAccounts,
        { metadata: { namespace: 'tenant-1', name: 'default' } },
        { fieldManager: 'test', force: true },
      );
      for (const [index, node] of (await plannedOn(1)).slice(0, 2).entries()) await addPod('tenant-1', `web-${index}`, node, { cpu: '2' });
      await expect.poll(available, patience).toBe(total - 8000n - 4000n);
      expect(await figures(1)).toMatchObject({ phase: ReservationPhase.PENDING, namespace: '', held: 8000n });
      const { metadata } = await client.patch(
        kinds.namespaces,
        { name: 'tenant-1' },
        { kind: 'merge', body: { metadata: { labels: labelsOf(1) } } },
      );
      const active = { phase: ReservationPhase.ACTIVE, namespace: metadata?.uid };
      await expect.poll(() => figures(1), patience).toEqual({ ...active, pods: 4000n, held: 4000n });
      expect(await available()).toBe(total - 8000n);
    });

    it('may come on other nodes than planned, with other amounts, more than were ordered, and end', async () => {
      const request = {
        units: [
          { id: 1, count: 2, cpuMillis: 1000n, memoryBytes: gib, volumes },
          { id: 2, count: 1, cpuMillis: 3000n, memoryBytes: 2n * gib, volumes },
        ],
      };
      expect((await api().reserve({ order: orderOf(2), request })).outcome.case).toBe('reservation');
      await addNamespace('tenant-2', 2);
      await expect.poll(() => figures(2), patience).toMatchObject({ phase: ReservationPhase.ACTIVE, pods: 0n, held: 5000n });
      const planned = await plannedOn(2);
      const [elsewhere = ''] = nodes.filter((name) => name !== planned[0]);
      await addPod('tenant-2', 'api-0', elsewhere, { cpu: '1' });
      await addPod('tenant-2', 'worker-0', planned[2] ?? '', { cpu: '3', memory: '2Gi' });
      await addPod('tenant-2', 'sidecar', elsewhere, { cpu: '700m' });
      await expect.poll(() => figures(2), patience).toMatchObject({ pods: 4700n, held: 1000n });
      // One more than was ordered, as during a rollout.
      for (const index of [1, 2]) await addPod('tenant-2', `api-${index}`, planned[index - 1] ?? '', { cpu: '1' });
      await expect.poll(() => figures(2), patience).toMatchObject({ pods: 6700n, held: 0n });
      await setPhase('tenant-2', 'worker-0', 'Succeeded');
      await expect.poll(() => figures(2), patience).toMatchObject({ pods: 3700n, held: 3000n });
      await removePod('tenant-2', 'sidecar');
      await removePod('tenant-2', 'api-0');
      await expect.poll(() => figures(2), patience).toMatchObject({ pods: 2000n, held: 3000n });
    });

    it('move from node to node, with the new one before the old one is gone, or after', async () => {
      for (let turn = 0; turn < 9; turn += 1) {
        const [name, next] = [`mover-${turn}`, `mover-${turn + 1}`];
        if (turn === 0) await addPod('tenant-1', name, nodes[0] ?? '', { cpu: '2' });
        if (turn % 2 === 1) await removePod('tenant-1', name);
        await addPod('tenant-1', next, nodes[(turn + 1) % nodes.length] ?? '', { cpu: '2' });
        if (turn % 2 === 0) await removePod('tenant-1', name);
      }
      await expect.poll(() => figures(1), patience).toMatchObject({ pods: 6000n, held: 2000n });
    });

    it('end with their namespace; in another one of the same name others take their place', async () => {
      const { client } = site.cluster;
      const before = (await figures(1)).namespace;
      await client.delete(kinds.namespaces, { name: 'tenant-1' });
      for (const { metadata } of (await client.list(kinds.pods, { namespace: 'tenant-1' })).items)
        await removePod('tenant-1', metadata?.name ?? '').catch(() => undefined); // There is no kubelet to end them; the server may have done so.
      await expect
        .poll(async () => (await client.list(kinds.namespaces)).items.map(({ metadata }) => metadata?.name), patience)
        .not.toContain('tenant-1');
      await expect.poll(() => figures(1), patience).toMatchObject({ namespace: before, pods: 0n, held: 8000n });
      const uid = await addNamespace('tenant-1', 1);
      expect(uid).not.toBe(before);
      // Some are there before the reservation knows the new namespace.
      for (const [index, node] of nodes.entries()) await addPod('tenant-1', `again-${index}`, node, { cpu: '2' });
      await expect.poll(() => figures(1), patience).toEqual({ phase: ReservationPhase.ACTIVE, namespace: uid, pods: 6000n, held: 2000n });
    });

    it('stay counted when the reservation is given back, and everything was counted once all the time', async () => {
      await api().unreserve({ order: orderOf(1) });
      await api().unreserve({ order: orderOf(2) });
      await expect.poll(available, patience).toBe(total - 6000n - 2000n);
      for (const namespace of ['tenant-1', 'tenant-2']) {
        const { items } = await site.cluster.client.list(kinds.pods, { namespace });
        for (const { metadata } of items) await removePod(namespace, metadata?.name ?? '');
      }
      await expect.poll(available, patience).toBe(total);
      expect(counted.wrong).toEqual([]);
      expect(counted.generations.size).toBeGreaterThan(10);
      expect(counted.looks).toBeGreaterThan(10);
    });
  });
}
