import type { Inventory } from '@quartermaster/inventory';
import { kinds } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimDevice, publishDevices } from './claimed-devices.ts';
import {
  addNode,
  addPod,
  gib,
  gpuNodeResources,
  hardwareOf,
  type OperatorCluster,
  patience,
  removePod,
  report,
  setNodeStatus,
  setPhase,
} from './operator-cluster.ts';
import { type RunningOperator, startOperator } from './running-operator.ts';

type NodeView = NonNullable<ReturnType<Inventory['feed']['node']>>;

/** What the operator makes of nodes, pods, cards and storage classes. The tests build on each other. */
export function describeAccounting(cluster: () => OperatorCluster): void {
  describe('the inventory of a cluster', () => {
    let operator: RunningOperator;

    beforeAll(async () => {
      operator = await startOperator(cluster());
    });

    afterAll(async () => {
      await operator?.stop();
    });

    const node = (name: string): NodeView | undefined => operator.inventory.feed.node(name);
    const gpus = (name: string) =>
      node(name)?.gpus.map(({ model, amount }) => [model, amount.allocatable, amount.allocated, amount.available]);
    const reasons = (name: string) => node(name)?.sellability.reasons.map(({ code }) => code);
    const totals = () => operator.inventory.feed.state()?.totals;

    it('is empty and complete for a cluster without nodes, which is known and not unknown', async () => {
      expect(operator.inventory.feed.current()).toMatchObject({ nodes: [] });
      // Whether something measures what is used is asked beside the first reading.
      await expect
        .poll(() => operator.inventory.feed.current(), patience)
        .toMatchObject({ nodes: [], completeness: { complete: true, stale: [] } });
    });

    it('has a node as soon as it is there, with all that it offers', async () => {
      await addNode(cluster().client, 'gpu-1');
      await expect.poll(() => node('gpu-1')?.sellability.state, patience).toBe('sellable');
      expect(node('gpu-1')).toMatchObject({
        cpu: { capacity: 64_000, allocatable: 64_000, allocated: 0, available: 64_000 },
        memory: { allocatable: 512 * gib, available: 512 * gib },
        ephemeralStorage: { available: 1000 * gib },
        hardware: { machine: {} },
      });
      expect(node('gpu-1')?.gpus.map(({ resource, amount }) => [resource, amount.capacity, amount.available])).toEqual([
        ['nvidia.com/gpu', 8, 8],
      ]);
      expect(totals()).toMatchObject({ nodes: { sellable: 1, heldBack: 0, unknown: 0 }, sellable: { cpu: { available: 64_000n } } });
    });

    it('knows the cards by their model once the agent has reported', async () => {
      await report(cluster().client, 'gpu-1', hardwareOf('gpu-1'));
      await expect.poll(() => gpus('gpu-1'), patience).toEqual([['h100', 8, 0, 8]]);
      expect(node('gpu-1')?.devices.map(({ id, state }) => [id, state])).toEqual(
        Array.from({ length: 8 }, (_, index) => [`GPU-gpu-1-${index}`, 'healthy']),
      );
      expect(node('gpu-1')?.hardware).toMatchObject({ observedAt: Date.UTC(2026, 0, 1), cpus: [{ model: 'EPYC' }] });
    });

    it('takes off what pods hold, while they do: started, finished, failed, deleted', async () => {
      const { client } = cluster();
      const held = () => [node('gpu-1')?.cpu.allocated, node('gpu-1')?.gpus[0]?.amount.allocated, node('gpu-1')?.pods];
      for (const name of ['one', 'two', 'three']) await addPod(client, name, 'gpu-1', { cpu: '1', gpus: 2 });
      await expect.poll(held, patience).toEqual([3000, 6, 3]);
      await setPhase(client, 'one', 'Running');
      await setPhase(client, 'two', 'Succeeded');
      await expect.poll(held, patience).toEqual([2000, 4, 2]);
      await setPhase(client, 'three', 'Failed');
      await expect.poll(held, patience).toEqual([1000, 2, 1]);
      for (const name of ['one', 'two', 'three']) await removePod(client, name);
      await expect.poll(held, patience).toEqual([0, 0, 0]);
      expect(operator.inventory.ledger.pods).toBe(0);
    });

    it('names a node on which more is promised than there is', async () => {
      const { client } = cluster();
      await addPod(client, 'large', 'gpu-1', { cpu: '70' });
      await expect.poll(() => node('gpu-1')?.cpu, patience).toMatchObject({ available: 0, overcommitted: 6000 });
      expect(node('gpu-1')?.conditions.map(({ code }) => code)).toContain('OverAllocated');
      await removePod(client, 'large');
      await expect.poll(() => node('gpu-1')?.conditions, patience).toEqual([]);
    });

    it('sells seven cards while the device plugin offers seven of eight, and eight again when they are back', async () => {
      const { client } = cluster();
      await setNodeStatus(client, 'gpu-1', { ...gpuNodeResources, 'nvidia.com/gpu': '7' });
      await expect.poll(() => gpus('gpu-1'), patience).toEqual([['h100', 7, 0, 7]]);
      expect(node('gpu-1')?.gpus[0]?.amount.capacity).toBe(8);
      await setNodeStatus(client, 'gpu-1', gpuNodeResources);
      await expect.poll(() => gpus('gpu-1'), patience).toEqual([['h100', 8, 0, 8]]);
    });

    it('follows a node that grows', async () => {
      await setNodeStatus(cluster().client, 'gpu-1', { ...gpuNodeResources, memory: '1024Gi' });
      await expect.poll(() => node('gpu-1')?.memory.allocatable, patience).toBe(1024 * gib);
    });

    it('holds a cordoned node back with the reason, and sells it when it is uncordoned', async () => {
      const { client } = cluster();
      await client.patch(kinds.nodes, { name: 'gpu-1' }, { kind: 'merge', body: { spec: { unschedulable: true } } });
      await expect.poll(() => reasons('gpu-1'), patience).toContain('Cordoned');
      expect(node('gpu-1')).toMatchObject({ sellability: { state: 'held-back' }, cpu: { capacity: 64_000 } });
      expect(totals()).toMatchObject({ nodes: { sellable: 0, heldBack: 1 }, heldBack: { cpu: { available: 64_000n } } });
      await client.patch(kinds.nodes, { name: 'gpu-1' }, { kind: 'merge', body: { spec: { unschedulable: null, taints: null } } });
      await expect.poll(() => node('gpu-1')?.sellability.state, patience).toBe('sellable');
    });

    it('tells people on the node itself why it was held back', async () => {
      const { client } = cluster();
      const told = async () =>
        (await client.list(kinds.events, { namespace: 'default' })).items.flatMap(({ regarding, reason }) =>
          regarding?.name === 'gpu-1' ? [reason] : [],
        );
      await expect.poll(told, patience).toEqual(expect.arrayContaining(['OverAllocated', 'HeldBack', 'Sellable']));
      // The real server taints a node that registers, so that another one may have been told before.
      const notice = async () => {
        const { items } = await client.list(kinds.events, { namespace: 'default' });
        return items.find(({ reason, note }) => reason === 'HeldBack' && note?.includes('kubectl uncordon gpu-1'));
      };
      await expect
        .poll(notice, patience)
        .toMatchObject({ type: 'Warning', reportingController: 'quartermaster.dev/inventory', regarding: { kind: 'Node' } });
    });

    it('holds back a node whose taint tenants do not tolerate, and one that is not ready; a silent one is unknown', async () => {
      const { client } = cluster();
      const taint = async (taints: object[] | null) =>
        await client.patch(kinds.nodes, { name: 'gpu-1' }, { kind: 'merge', body: { spec: { taints } } });
      await taint([{ key: 'maintenance', value: 'disk', effect: 'NoSchedule' }]);
      await expect.poll(() => reasons('gpu-1'), patience).toEqual(['Tainted']);
      await taint(null);
      await expect.poll(() => reasons('gpu-1'), patience).toEqual([]);
      const ready = async (status: string) => {
        const conditions = [{ type: 'Ready', status, reason: 'Test', lastTransitionTime: '2026-01-02T00:00:00Z' }];
        await client.patch(kinds.nodes, { name: 'gpu-1' }, { kind: 'merge', body: { status: { conditions } } }, { subresource: 'status' });
      };
      await ready('False');
      await expect.poll(() => reasons('gpu-1'), patience).toEqual(['NotReady']);
      await ready('Unknown');
      await expect.poll(() => node('gpu-1')?.sellability.state, patience).toBe('unknown');
      expect(totals()).toMatchObject({ nodes: { sellable: 0, heldBack: 0, unknown: 1 }, unknown: { cpu: { capacity: 64_000n } } });
      expect(node('gpu-1')?.sellability.reasons[0]?.since).toBe(Date.UTC(2026, 0, 2));
      await ready('True');
      await expect.poll(() => node('gpu-1')?.sellability.state, patience).toBe('sellable');
    });

    it('has node-local storage of each node by what its agent measured, and says why a class is not offered', async () => {
      const { client } = cluster();
      const path = '/opt/local-path-provisioner';
      const local = { provisioner: 'rancher.io/local-path', volumeBindingMode: 'WaitForFirstConsumer' };
      await client.create(kinds.storageClasses, { metadata: { name: 'beta3' }, ...local });
      await client.create(kinds.storageClasses, { metadata: { name: 'nfs' }, provisioner: 'nfs.csi.k8s.io' });
      const storage = (name: string) => operator.inventory.feed.storageClass(name);
      await expect.poll(() => storage('nfs')?.refusal?.code, patience).toBeDefined();
      expect(storage('nfs')).not.toHaveProperty('amount');
      await report(client, 'gpu-1', hardwareOf('gpu-1', '2330', { filesystems: [{ path, sizeBytes: 300 * gib, device: '259:1' }] }));
      await expect.poll(() => storage('beta3')?.perNode?.get('gpu-1')?.available, patience).toBe(300 * gib);
      expect(storage('beta3')).toMatchObject({ refusal: undefined });
      await expect.poll(() => node('gpu-1')?.storageClasses, patience).toEqual(['beta3']);
      const cordon = async (unschedulable: true | null) =>
        await client.patch(kinds.nodes, { name: 'gpu-1' }, { kind: 'merge', body: { spec: { unschedulable, taints: null } } });
      await expect.poll(() => storage('beta3')?.amount?.available, patience).toBe(300 * gib);
      await cordon(true);
      await expect.poll(() => storage('beta3')?.amount, patience).toMatchObject({ capacity: 300 * gib, available: 0 });
      expect(storage('beta3')?.perNode?.get('gpu-1')?.available).toBe(300 * gib);
      await cordon(null);
      await expect.poll(() => storage('beta3')?.amount?.available, patience).toBe(300 * gib);
    });

    it('knows cards that a driver publishes as devices, and who has claimed them', async () => {
      const { client } = cluster();
      await addNode(client, 'dra-1', { resources: { cpu: '8', memory: '16Gi', pods: '110' } });
      await publishDevices(client, 'dra-1', ['gpu-0', 'gpu-1', 'gpu-2']);
      await expect.poll(() => gpus('dra-1'), patience).toEqual([['h100', 3, 0, 3]]);
      await claimDevice(client, 'watching', 'dra-1', 'gpu-2', { reservedFor: 'exporter-0', adminAccess: true });
      await claimDevice(client, 'training', 'dra-1', 'gpu-1', { reservedFor: 'trainer-0' });
      await expect.poll(() => gpus('dra-1'), patience).toEqual([['h100', 3, 1, 2]]);
      expect(node('dra-1')?.devices.map(({ id, holder }) => [id, holder?.pod])).toEqual([
        ['GPU-dra-1-gpu-0', undefined],
        ['GPU-dra-1-gpu-1', 'trainer-0'],
        ['GPU-dra-1-gpu-2', undefined],
      ]);
      await client.delete(kinds.resourceSlices, { name: 'dra-1' });
      await client.delete(kinds.nodes, { name: 'dra-1' });
      await expect.poll(() => node('dra-1'), patience).toBeUndefined();
    });

    it('forgets a node that is deleted, and nothing but that', async () => {
      const { client } = cluster();
      await addNode(client, 'gpu-2');
      await expect.poll(() => totals()?.nodes.sellable, patience).toBe(2);
      await client.delete(kinds.nodes, { name: 'gpu-1' });
      await expect.poll(() => node('gpu-1'), patience).toBeUndefined();
      expect(operator.inventory.feed.current()?.nodes.map(({ name }) => name)).toEqual(['gpu-2']);
      await client.delete(kinds.nodes, { name: 'gpu-2' });
      await expect.poll(() => operator.inventory.feed.current()?.nodes, patience).toEqual([]);
    });

    it('has never drifted from a full recount', () => {
      expect(operator.inventory.ledger.drifts).toBe(0);
    });
  });
}
