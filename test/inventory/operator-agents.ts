import { nodeHardwareType } from '@quartermaster/api/node-hardware';
import type { Inventory } from '@quartermaster/inventory';
import { kinds } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory } from './fresh-inventory.ts';
import {
  addAgent,
  addNode,
  addPod,
  agentOf,
  gib,
  hardwareOf,
  type OperatorCluster,
  patience,
  report,
  setAgentReady,
  tenant,
} from './operator-cluster.ts';

const path = '/opt/local-path-provisioner';
const hour = 3_600_000;

/** What the operator makes of agents that fall silent, and of nodes that are other machines than before. */
export function describeAgents(cluster: () => OperatorCluster): void {
  describe('the agents of nodes', () => {
    let inventory: Inventory;
    const name = 'agent-1';

    beforeAll(async () => {
      const { client } = cluster();
      const local = { provisioner: 'rancher.io/local-path', volumeBindingMode: 'WaitForFirstConsumer' };
      await client.apply(kinds.storageClasses, { metadata: { name: 'beta3' }, ...local }, { fieldManager: 'test', force: true });
      await addMachine('a', 'S1');
      await addPod(client, 'train-0', name, { gpus: 1 });
      const device = { resource: 'nvidia.com/gpu', deviceId: `GPU-${name}-3`, namespace: tenant, pod: 'train-0', container: 'main' };
      const status = { devices: [device] };
      await client.patch(nodeHardwareType, { name }, { kind: 'merge', body: { status } }, { subresource: 'status' });
      await addAgent(client, name);
      inventory = await startInventory(client);
    });

    afterAll(async () => {
      const { client } = cluster();
      await inventory?.stop();
      await client.delete(kinds.pods, { namespace: tenant, name: 'train-0' }, { gracePeriodSeconds: 0 });
      await client.delete(kinds.pods, agentOf(name), { gracePeriodSeconds: 0 });
      await client.delete(nodeHardwareType, { name });
      await client.delete(kinds.nodes, { name });
    });

    /** A new node under the name, and its uid. */
    async function addMachine(systemUuid: string, serial?: string): Promise<string> {
      const { client } = cluster();
      const { metadata } = await addNode(client, name);
      const uid = metadata?.uid ?? '';
      const status = { nodeInfo: nodeInfo(uuidOf(systemUuid)) };
      await client.patch(kinds.nodes, { name }, { kind: 'merge', body: { status } }, { subresource: 'status' });
      if (serial !== undefined) await reportMachine(uid, systemUuid, serial);
      return uid;
    }

    async function reportMachine(nodeUid: string, systemUuid: string, serial: string): Promise<void> {
      const filesystems = [{ path, sizeBytes: 300 * gib, device: '259:1' }];
      const facts = { nodeUid, machine: { serial, systemUuid: uuidOf(systemUuid) }, filesystems };
      await report(cluster().client, name, hardwareOf(name, '2330', facts));
    }

    const setReady = (status: 'True' | 'False', since: number) => setAgentReady(cluster().client, name, status, since);
    const node = () => inventory.feed.node(name);
    const states = () => [...new Set(node()?.devices.map(({ state }) => state))];
    const held = () => node()?.devices.flatMap(({ id, holder }) => (holder === undefined ? [] : [`${id} ${holder.pod}`]));
    const space = () => inventory.feed.storageClass('beta3')?.perNode?.get(name)?.capacity;
    const version = async () => (await cluster().client.get(nodeHardwareType, { name })).metadata?.resourceVersion;

    it('confirm what they found while their pods are ready, without a write', async () => {
      await expect.poll(states, patience).toEqual(['healthy']);
      expect(held()).toEqual([`GPU-${name}-3 train-0`]);
      expect(node()?.stale).toEqual([]);
      await expect.poll(space, patience).toBe(300 * gib);
    });

    it('are named with the time of the last confirmation when their pods are not, and nothing is charged to a card', async () => {
      const before = await version();
      const since = Math.floor((Date.now() - hour) / 1000) * 1000;
      await setReady('False', since);
      await expect.poll(() => node()?.stale, patience).toEqual([{ source: 'agent', lastContactAt: since, reason: 'its pod is not ready' }]);
      expect(states()).toEqual(['unknown']);
      expect(held()).toEqual([]);
      expect(node()?.gpus[0]?.amount).toMatchObject({ allocated: 1, available: 7 });
      expect(inventory.agents.problem()).toContain(`are silent: its pod is not ready (${name})`);
      // Whoever starts anew knows it from the beginning.
      const fresh = await startInventory(cluster().client);
      await expect.poll(() => fresh.feed.node(name)?.stale, patience).toEqual(node()?.stale);
      await fresh.stop();
      await setReady('True', Date.now());
      await expect.poll(states, patience).toEqual(['healthy']);
      expect(held()).toEqual([`GPU-${name}-3 train-0`]);
      expect(node()?.stale).toEqual([]);
      expect(await version()).toBe(before);
    });

    it('give nothing of one machine to another that gets the name of its node', async () => {
      const { client } = cluster();
      await client.delete(kinds.nodes, { name });
      const uid = await addMachine('b');
      await expect.poll(() => node()?.conditions.map(({ code }) => code), patience).toEqual(['HardwareOfOtherMachine']);
      expect(node()).toMatchObject({ uid, devices: [], hardware: { machine: {}, disks: [] } });
      await expect.poll(space, patience).toBeUndefined();
      await reportMachine(uid, 'b', 'S2');
      await expect.poll(() => node()?.hardware.machine.serial, patience).toBe('S2');
      expect(node()).toMatchObject({ conditions: [], devices: { length: 8 } });
      await expect.poll(space, patience).toBe(300 * gib);
    });

    it('and drivers give none of their devices to another Node of the same name', async () => {
      const { client } = cluster();
      const drawn = 'agent-drawn';
      const addDrawn = async () =>
        (await addNode(client, drawn, { resources: { cpu: '4', memory: '8Gi', pods: '10' } })).metadata?.uid ?? '';
      const publish = async (uid: string) => {
        const metadata = { name: drawn, ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: drawn, uid }] };
        const pool = { name: drawn, generation: 1, resourceSliceCount: 1 };
        const devices = [{ name: 'gpu-0', attributes: { type: { string: 'gpu' }, uuid: { string: `GPU-${uid}` } } }];
        const spec = { driver: 'gpu.nvidia.com', nodeName: drawn, pool, devices };
        await client.apply(kinds.resourceSlices, { metadata, spec }, { fieldManager: 'test-driver', force: true });
      };
      const cards = () => inventory.feed.node(drawn)?.devices.map(({ id }) => id);
      const old = await addDrawn();
      await publish(old);
      await expect.poll(cards, patience).toEqual([`GPU-${old}`]);
      await client.delete(kinds.nodes, { name: drawn });
      const uid = await addDrawn();
      await expect.poll(() => [inventory.feed.node(drawn)?.uid, cards()], patience).toEqual([uid, []]);
      await publish(uid);
      await expect.poll(cards, patience).toEqual([`GPU-${uid}`]);
      await client.delete(kinds.resourceSlices, { name: drawn });
      await client.delete(kinds.nodes, { name: drawn });
    });

    it('give nothing of one machine to another in the same Node', async () => {
      const { client } = cluster();
      const info = (systemUuid: string) => ({ kind: 'merge', body: { status: { nodeInfo: { systemUUID: uuidOf(systemUuid) } } } }) as const;
      await client.patch(kinds.nodes, { name }, info('c'), { subresource: 'status' });
      await expect.poll(() => node()?.devices, patience).toEqual([]);
      expect(node()?.conditions[0]?.message).toContain(`a machine with the system UUID ${uuidOf('b')}, the kubelet reports ${uuidOf('c')}`);
      await expect.poll(space, patience).toBeUndefined();
    });
  });
}

const uuidOf = (digit: string): string => `${digit.repeat(8)}-0000-4000-8000-000000000001`;

function nodeInfo(systemUUID: string) {
  const version = '1.36';
  const os = { kernelVersion: version, osImage: 'Linux', operatingSystem: 'linux', architecture: 'amd64' };
  const programs = { containerRuntimeVersion: version, kubeletVersion: version, kubeProxyVersion: '' };
  return { machineID: systemUUID, systemUUID, bootID: systemUUID, ...os, ...programs };
}
