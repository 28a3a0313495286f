import type { Delta, GetSnapshotResponseJson } from '@quartermaster/api/inventory';
import { kinds } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InventorySubscriber } from './inventory-subscriber.ts';
import { addNode, addPod, type OperatorCluster, patience, podOn, removePod, setPhase, tenant } from './operator-cluster.ts';
import { type RunningOperator, startOperator } from './running-operator.ts';

const nodes = ['leased-1', 'leased-2'];
const dseq = 'akash.network/lease.id.dseq';
const service = 'akash.network/manifest-service';

/** What readers are told of pods of leases. The tests build on each other. */
export function describeLeasePods(cluster: () => OperatorCluster): void {
  describe('the lease pods of the inventory', () => {
    let operator: RunningOperator;
    /** Generations in which a node counts other pods than there are records. */
    const wrong: string[] = [];
    const deltas: Delta[] = [];
    const subscriber = new InventorySubscriber((event) => {
      if (event.case === 'delta') deltas.push(event.value);
      for (const name of nodes) {
        const counted = subscriber.nodes.get(name);
        const pods = [...subscriber.leasePods.values()].filter((pod) => pod.node === name);
        const sums = (amountOf: (pod: (typeof pods)[number]) => bigint) => pods.reduce((sum, pod) => sum + amountOf(pod), 0n);
        const told = [sums((pod) => pod.cpuMillis), sums((pod) => pod.memoryBytes), BigInt(pods.length)];
        const expected = [counted?.cpu?.allocated ?? 0n, counted?.memory?.allocated ?? 0n, counted?.pods ?? 0n];
        if (told.join() !== expected.join()) wrong.push(`${subscriber.generation?.sequence} ${name}: ${told.join()} of ${expected.join()}`);
      }
    });

    beforeAll(async () => {
      for (const name of nodes) await addNode(cluster().client, name);
      operator = await startOperator(cluster());
      void subscriber.follow(operator);
    });

    afterAll(async () => {
      subscriber.stop();
      await operator?.stop();
      for (const name of nodes) await cluster().client.delete(kinds.nodes, { name });
    });

    const names = () => [...subscriber.leasePods.values()].map(({ name }) => name).toSorted();
    const record = (name: string) => [...subscriber.leasePods.values()].find((pod) => pod.name === name);

    it('are, in every generation, those that their nodes count', async () => {
      const { client } = cluster();
      for (let index = 0; index < 20; index += 1) {
        await addPod(client, `pod-${index}`, nodes[index % 2] ?? '', { cpu: `${100 + index}m`, gpus: index % 3 === 0 ? 1 : 0 });
        if (index % 4 === 1) await setPhase(client, `pod-${index - 1}`, 'Running');
        if (index % 4 === 2) await setPhase(client, `pod-${index - 1}`, 'Succeeded');
        if (index % 4 === 3) await removePod(client, `pod-${index - 1}`);
      }
      // Of each four the second has finished and the third is gone.
      const left = Array.from({ length: 20 }, (_, index) => index).filter((index) => index % 4 === 0 || index % 4 === 3);
      await expect.poll(names, patience).toEqual(left.map((index) => `pod-${index}`).toSorted());
      expect(wrong).toEqual([]);
      expect(subscriber.gaps).toBe(0);
    });

    it('say of which namespace, lease and service they are, and what they take', async () => {
      const { client } = cluster();
      const pod = podOn('web', 'leased-1', { cpu: '2', memory: '4Gi', gpus: 2 });
      const made = await client.create(kinds.pods, { ...pod, metadata: { ...pod.metadata, labels: { [dseq]: '9', [service]: 'web' } } });
      await expect
        .poll(() => record('web'), patience)
        .toMatchObject({
          uid: made.metadata?.uid,
          namespace: tenant,
          namespaceUid: (await client.get(kinds.namespaces, { name: tenant })).metadata?.uid,
          leaseLabels: { [dseq]: '9' },
          service: 'web',
          node: 'leased-1',
          cpuMillis: 2000n,
          memoryBytes: 4n * 2n ** 30n,
          extended: { 'nvidia.com/gpu': 2n },
        });
    });

    it('are sent again when their lease changes, and alone', async () => {
      const { client } = cluster();
      const relabel = async (value: string | null) => {
        deltas.length = 0;
        const body = { metadata: { labels: { [dseq]: value, [service]: null } } };
        await client.patch(kinds.pods, { namespace: tenant, name: 'web' }, { kind: 'merge', body });
        await expect
          .poll(() => deltas.some(({ leasePods, removedLeasePods }) => leasePods.length + removedLeasePods.length > 0), patience)
          .toBe(true);
        return deltas.flatMap(({ nodes: changed, leasePods, removedLeasePods }) => [
          ...changed.map(({ name }) => name),
          ...leasePods.map((pod) => [pod.name, pod.leaseLabels[dseq], pod.service]),
          ...removedLeasePods,
        ]);
      };
      const uid = record('web')?.uid;
      expect(await relabel('10')).toEqual([['web', '10', '']]);
      expect(await relabel(null)).toEqual([uid]);
    });

    it('are the same for who asks once, by gRPC and REST', async () => {
      const { snapshot } = await operator.grpc.getSnapshot({});
      expect(new Map(snapshot?.leasePods.map((pod) => [pod.uid, pod]))).toEqual(subscriber.leasePods);
      const { text } = await operator.get('/v1/snapshot');
      const { leasePods = [] } = (JSON.parse(text) as GetSnapshotResponseJson).snapshot ?? {};
      expect(new Set(leasePods.map(({ uid }) => uid))).toEqual(new Set(subscriber.leasePods.keys()));
      expect(leasePods[0]).toMatchObject({ namespace: tenant, leaseLabels: { [dseq]: '7' } });
      expect(leasePods.every(({ namespaceUid = '' }) => namespaceUid !== '')).toBe(true);
      for (const { metadata } of (await cluster().client.list(kinds.pods, { namespace: tenant })).items) {
        await removePod(cluster().client, metadata?.name ?? '');
      }
      await expect.poll(names, patience).toEqual([]);
    });
  });
}
