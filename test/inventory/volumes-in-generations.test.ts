import type { HardwareFacts } from '@quartermaster/api/node-hardware';
import { KubeClient, type KubeObject, KubeTransport, staticCredentials } from '@quartermaster/kube';
import { expect, it } from 'vitest';
import { startInventory } from './fresh-inventory.ts';
import { MutantServer } from './mutant-server.ts';
import { gib, hardwareOf, patience } from './operator-cluster.ts';

const node = 'n1';
const className = 'local-path';
const lease = 'lease';
const claimsPath = '/api/v1/persistentvolumeclaims';

const named = (name: string, more: object = {}, metadata: object = {}) =>
  ({ metadata: { name, uid: `uid-of-${name}`, resourceVersion: '1', ...metadata }, ...more }) as KubeObject;

const resources = { cpu: '8', memory: '64Gi', pods: '110', 'ephemeral-storage': '1000Gi' };
const disk = { sizeBytes: 1000 * gib, usedBytes: 0, device: '8:1' };
const filesystems = [
  { path: '/var/lib/kubelet', ...disk, holdsEphemeral: true },
  { path: '/opt/local-path-provisioner', ...disk, folderBytes: 0 },
];
const claim = (index: number) =>
  named(
    `claim-${index}`,
    { spec: { storageClassName: className, volumeName: '', resources: { requests: { storage: '5Gi' } } } },
    { namespace: lease, annotations: { 'volume.kubernetes.io/selected-node': node } },
  );

it('has, in each generation, the volumes of a node in its ephemeral storage, in their class and in the records of their lease', async () => {
  await using server = await MutantServer.start();
  server.put('/api/v1/nodes', [
    named(node, { status: { capacity: resources, allocatable: resources, conditions: [{ type: 'Ready', status: 'True' }] } }),
  ]);
  const facts: HardwareFacts = { ...hardwareOf(node), gpus: [], filesystems };
  server.put('/apis/quartermaster.dev/v1alpha1/nodehardwares', [named(node, { spec: facts })]);
  server.put('/apis/storage.k8s.io/v1/storageclasses', [named(className, { provisioner: 'rancher.io/local-path' })]);
  server.put('/api/v1/namespaces', [named(lease, {}, { labels: { 'akash.network/lease.id.dseq': '7' } })]);
  const client = new KubeClient(new KubeTransport({ credentials: staticCredentials({ server: server.url }) }));
  const inventory = await startInventory(client, { clusterId: 'volumes', gpuDatabaseUrl: 'http://127.0.0.1:9/', publishIntervalMs: 1 });
  try {
    await expect.poll(() => inventory.feed.storageClass(className)?.perNode?.get(node), patience).toBeDefined();
    const wrong = new Set<string>();
    const seen = new Set<number>();
    inventory.feed.onGeneration(() => {
      const { leaseVolumes = [] } = inventory.feed.current() ?? {};
      const inRecords = leaseVolumes.reduce((sum, { bytes }) => sum + bytes, 0) / gib;
      const inClass = (inventory.feed.storageClass(className)?.perNode?.get(node)?.allocated ?? 0) / gib;
      const inNode = 1000 - (inventory.feed.node(node)?.ephemeralStorage.available ?? 0) / gib;
      seen.add(inRecords);
      if (inRecords !== inClass || inRecords !== inNode) wrong.add(`${inRecords}, ${inClass}, ${inNode}`);
    });
    for (let index = 0; index < 10; index += 1) {
      server.send(claimsPath, claim(index));
      // Generations for other reasons, before the watch of the storage has told of its change: of the nodes, and of the storage.
      const published = () => {
        inventory.feed.touch(index % 2 === 0 ? 'storage' : 'nodes');
        return inventory.feed.current()?.leaseVolumes.length;
      };
      await expect.poll(published, { ...patience, interval: 2 }).toBe(index + 1);
    }
    expect([...wrong]).toEqual([]);
    expect(Math.max(...seen)).toBe(50);
  } finally {
    await inventory.stop();
    await client.close();
  }
});
