import type { Node } from '@quartermaster/api/inventory';
import { seededRandom } from '@quartermaster/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InventorySubscriber } from './inventory-subscriber.ts';
import { addNode, addPod, hardwareOf, type OperatorCluster, patience, removePod, report, setPhase } from './operator-cluster.ts';
import { type RunningOperator, startOperator } from './running-operator.ts';

const nodes = Array.from({ length: 5 }, (_, index) => `gpu-${index}`);
interface StandbyOptions {
  readonly start: () => Promise<OperatorCluster>;
  /** How many come, one after the other. */
  readonly pods: number;
}

/** What readers see of one replica that takes the place of another. */
export function describeStandby({ start, pods }: StandbyOptions): void {
  describe('an operator that is replaced by its standby while pods come and go', () => {
    let cluster: OperatorCluster;
    const replicas: RunningOperator[] = [];

    beforeAll(async () => {
      cluster = await start();
      for (const name of nodes) {
        await addNode(cluster.client, name);
        await report(cluster.client, name, hardwareOf(name));
      }
      for (let replica = 0; replica < 2; replica += 1) replicas.push(await startOperator(cluster));
    });

    afterAll(async () => {
      for (const replica of replicas) await replica.stop();
      await cluster?.stop();
    });

    /** Calls back when half of the pods have come. */
    async function churn(halfway: () => Promise<void>): Promise<void> {
      const { client } = cluster;
      const random = seededRandom(3);
      for (let pod = 0; pod < pods; pod += 1) {
        if (pod === pods / 2) await halfway();
        const node = nodes[Math.floor(random.next() * nodes.length)] ?? '';
        await addPod(client, `pod-${pod}`, node, { cpu: `${Math.ceil(random.next() * 500)}m`, gpus: pod % 20 === 0 ? 1 : 0 });
        if (pod % 5 === 2) await setPhase(client, `pod-${pod - 1}`, 'Succeeded');
        if (pod % 3 === 2) await removePod(client, `pod-${pod - 2}`);
      }
    }

    const isLeader = async ({ grpc }: RunningOperator): Promise<boolean> => (await grpc.getStatus({})).isLeader;
    const stated = (all: Iterable<Node>) =>
      [...all].map((node) => ({ ...node, observedAt: undefined })).toSorted((a, b) => (a.name < b.name ? -1 : 1));

    it('loses nothing: whoever followed it goes on at the standby with a snapshot, and ends with what a fresh reader sees', async () => {
      await expect.poll(async () => (await Promise.all(replicas.map(isLeader))).includes(true), patience).toBe(true);
      const first = replicas[0] as RunningOperator;
      const [leader, standby] = (await isLeader(first)) ? replicas : replicas.toReversed();
      if (leader === undefined || standby === undefined) throw new Error('there are not two replicas');
      const subscriber = new InventorySubscriber();
      let following = subscriber.follow(leader);
      await expect.poll(() => subscriber.nodes.size, patience).toBe(nodes.length);
      const epochs = new Set([subscriber.generation?.epoch]);

      await churn(async () => {
        await leader.stop();
        await following;
        following = subscriber.follow(standby);
      });

      // Before there is another one that could take the lead.
      await expect.poll(() => isLeader(standby), patience).toBe(true);
      const fresh = await startOperator(cluster);
      replicas.push(fresh);
      const expected = (await fresh.grpc.getSnapshot({})).snapshot?.nodes ?? [];
      expect(expected.map(({ pods: count }) => Number(count)).reduce((a, b) => a + b)).toBe(fresh.inventory.ledger.pods);
      await expect.poll(() => stated(subscriber.nodes.values()), patience).toEqual(stated(expected));
      epochs.add(subscriber.generation?.epoch);
      expect(subscriber.firstEvents).toEqual(['snapshot', 'snapshot']);
      expect(epochs.size).toBe(2);
      expect(subscriber.gaps).toBe(0);
      subscriber.stop();
      await following;
    });

    it('is resumed without a snapshot by one who comes back to the same replica', async () => {
      const standby = replicas.at(-1) as RunningOperator;
      const subscriber = new InventorySubscriber();
      const following = subscriber.follow(standby);
      await expect.poll(() => subscriber.nodes.size, patience).toBe(nodes.length);
      subscriber.stop();
      await following;
      const before = Number(subscriber.nodes.get('gpu-0')?.pods);
      await addPod(cluster.client, 'while-away', 'gpu-0');
      // Before there is a difference, the first thing to come may be a sign of life.
      await expect.poll(() => standby.inventory.feed.node('gpu-0')?.pods, patience).toBe(before + 1);
      const again = subscriber.follow(standby);
      await expect.poll(() => subscriber.firstEvents, patience).toEqual(['snapshot', 'delta']);
      await expect.poll(() => Number(subscriber.nodes.get('gpu-0')?.pods), patience).toBe(before + 1);
      expect(subscriber.gaps).toBe(0);
      subscriber.stop();
      await again;
    });
  });
}
