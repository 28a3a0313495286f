import type { Delta, GetSnapshotResponseJson } from '@quartermaster/api/inventory';
import { type KubeObject, kinds, type ResourceType } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { InventorySubscriber } from './inventory-subscriber.ts';
import { addNode, gib, type OperatorCluster, patience } from './operator-cluster.ts';
import { type RunningOperator, startOperator } from './running-operator.ts';
import { storageClass, volume } from './storage-fixtures.ts';

const node = 'volumes-1';
const driver = 'lvm.example';
const lease = 'lease-with-volumes';
const foreign = 'not-of-a-lease';
const classes = ['wide-volumes', 'local-volumes'];
const dseq = 'akash.network/lease.id.dseq';
const selectedNode = 'volume.kubernetes.io/selected-node';

/** What readers are told of claims of leases. The tests build on each other. */
export function describeLeaseVolumes(cluster: () => OperatorCluster): void {
  describe('the lease volumes of the inventory', () => {
    let operator: RunningOperator;
    /** GiB of each class that others than the lease may have now. */
    let others: readonly number[] = [7];
    /** Generations in which a class has allocated other volumes than those of others and those of which there are records. */
    const wrong: string[] = [];
    const deltas: Delta[] = [];
    const subscriber = new InventorySubscriber((event) => {
      if (event.case === 'delta') deltas.push(event.value);
      for (const name of classes) {
        const { amount, perNode, nodeLocal } = subscriber.classes.get(name) ?? {};
        const allocated = nodeLocal === true ? perNode?.[node]?.allocated : amount?.allocated;
        const ofLeases = records(name).reduce((sum, { bytes }) => sum + bytes, 0n);
        const left = Number((allocated ?? 0n) - ofLeases) / gib;
        if (!others.includes(left)) wrong.push(`${subscriber.generation?.sequence} ${name}: ${left} of ${others.join(' or ')}`);
      }
    });
    const records = (name: string) => [...subscriber.leaseVolumes.values()].filter((each) => each.storageClass === name);
    const record = (name: string) => [...subscriber.leaseVolumes.values()].find((each) => each.name === name);
    const allocatedGib = () => classes.map((name) => Number(subscriber.classes.get(name)?.amount?.allocated ?? 0n) / gib);

    const addClaim = async (namespace: string, name: string, className: string, size: string, annotations = {}) =>
      await cluster().client.create(kinds.persistentVolumeClaims, {
        metadata: { namespace, name, annotations },
        spec: { accessModes: ['ReadWriteOnce'], storageClassName: className, resources: { requests: { storage: size } } },
      });

    /** As provisioner and binder do. */
    const bind = async (claim: KubeObject, className: string, size: string, on?: string) => {
      const { name = '', namespace = '', uid } = claim.metadata ?? {};
      const made = volume(`pv-${name}`, className, size, { csi: { driver, volumeHandle: name } }, on);
      const claimRef = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid };
      await cluster().client.create(kinds.persistentVolumes, { ...made, spec: { ...made.spec, claimRef } });
      const body = { spec: { volumeName: `pv-${name}` } };
      await cluster().client.patch(kinds.persistentVolumeClaims, { namespace, name }, { kind: 'merge', body });
    };

    /** Without controllers, nobody else takes off what protects it. */
    const remove = async (type: ResourceType, ref: { readonly name: string; readonly namespace?: string }) => {
      await cluster().client.patch(type, ref, { kind: 'merge', body: { metadata: { finalizers: null } } });
      await cluster().client.delete(type, ref);
    };

    beforeAll(async () => {
      const { client } = cluster();
      await addNode(client, node, { labels: { zone: 'volumes' } });
      const topologies = [{ zone: 'volumes' }, { 'kubernetes.io/hostname': node }];
      for (const [index, name] of classes.entries()) {
        await storageClass(client, name, driver, { pool: name });
        const topology = { matchLabels: topologies[index] ?? {} };
        const capacity = { metadata: { namespace: 'default', name }, storageClassName: name, nodeTopology: topology, capacity: '100Gi' };
        await client.create(kinds.csiStorageCapacities, capacity);
      }
      await client.create(kinds.namespaces, { metadata: { name: lease, labels: { [dseq]: '7' } } });
      await client.create(kinds.namespaces, { metadata: { name: foreign } });
      for (const name of classes) await addClaim(foreign, `of-others-${name}`, name, '7Gi', { [selectedNode]: node });
      operator = await startOperator(cluster());
      void subscriber.follow(operator);
      await vi.waitUntil(() => allocatedGib().every((each) => each === 7), patience);
    });

    afterAll(async () => {
      subscriber.stop();
      await operator?.stop();
      const { client } = cluster();
      for (const name of classes) {
        await remove(kinds.persistentVolumeClaims, { namespace: foreign, name: `of-others-${name}` });
        await client.delete(kinds.csiStorageCapacities, { namespace: 'default', name });
        await client.delete(kinds.storageClasses, { name });
      }
      await client.delete(kinds.nodes, { name: node });
    });

    it('say of which namespace and class they are, and how much of it, from the claim on', async () => {
      const made = await addClaim(lease, 'wide', 'wide-volumes', '10Gi');
      const namespaceUid = (await cluster().client.get(kinds.namespaces, { name: lease })).metadata?.uid;
      const { uid } = made.metadata ?? {};
      const expected = { uid, namespace: lease, namespaceUid, storageClass: 'wide-volumes', bytes: 10n * BigInt(gib), node: '' };
      await expect.poll(() => record('wide'), patience).toMatchObject(expected);
      await bind(made, 'wide-volumes', '12Gi');
      await expect
        .poll(() => record('wide'), patience)
        .toMatchObject({ ...expected, bytes: 12n * BigInt(gib), requestedBytes: 10n * BigInt(gib) });
      expect(allocatedGib()).toEqual([19, 7]);
      expect(wrong).toEqual([]);
    });

    it('are of their node where the class is, as soon as it counts them there', async () => {
      const made = await addClaim(lease, 'local', 'local-volumes', '10Gi');
      await expect.poll(allocatedGib, patience).toEqual([19, 17]);
      expect(record('local')).toBeUndefined();
      const body = { metadata: { annotations: { [selectedNode]: node } } };
      await cluster().client.patch(kinds.persistentVolumeClaims, { namespace: lease, name: 'local' }, { kind: 'merge', body });
      await expect.poll(() => record('local'), patience).toMatchObject({ node, bytes: 10n * BigInt(gib) });
      await bind(made, 'local-volumes', '12Gi', node);
      await expect.poll(() => record('local'), patience).toMatchObject({ node, bytes: 12n * BigInt(gib) });
      expect(wrong).toEqual([]);
    });

    it('are the same for who asks once, by gRPC and REST', async () => {
      const { snapshot } = await operator.grpc.getSnapshot({});
      expect(new Map(snapshot?.leaseVolumes.map((each) => [each.uid, each]))).toEqual(subscriber.leaseVolumes);
      const { text } = await operator.get('/v1/snapshot');
      const { leaseVolumes = [] } = (JSON.parse(text) as GetSnapshotResponseJson).snapshot ?? {};
      const told = new Map(leaseVolumes.map(({ name = '', bytes, node: on = '' }) => [name, [bytes, on]]));
      expect(Object.fromEntries(told)).toEqual({ local: [String(12 * gib), node], wide: [String(12 * gib), ''] });
    });

    it('go with their claims, while what is left of them counts until it is deleted', async () => {
      for (const [name, expected] of [
        ['wide', [19, 19]],
        ['local', [19, 19]],
      ] as const) {
        others = [7, 19];
        await remove(kinds.persistentVolumeClaims, { namespace: lease, name });
        await expect.poll(() => record(name), patience).toBeUndefined();
        expect(allocatedGib()).toEqual(expected);
      }
      for (const name of ['wide', 'local']) await remove(kinds.persistentVolumes, { name: `pv-${name}` });
      await expect.poll(allocatedGib, patience).toEqual([7, 7]);
      expect(wrong).toEqual([]);
    });

    it('come with the labels of their namespace, and alone', async () => {
      others = [0, 7];
      deltas.length = 0;
      const relabel = async (value: string | null) => {
        const body = { metadata: { labels: { [dseq]: value } } };
        await cluster().client.patch(kinds.namespaces, { name: foreign }, { kind: 'merge', body });
      };
      await relabel('8');
      await expect.poll(() => subscriber.leaseVolumes.size, patience).toBe(2);
      await relabel(null);
      await expect.poll(() => subscriber.leaseVolumes.size, patience).toBe(0);
      expect(deltas.flatMap(({ storage, nodes }) => [...storage, ...nodes].map(({ name }) => name))).toEqual([]);
      expect(wrong).toEqual([]);
      expect(subscriber.gaps).toBe(0);
    });
  });
}
