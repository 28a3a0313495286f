import type { Cluster, Node } from '@akashnetwork/akash-api/akash/inventory/v1';
import { ClusterRPCClient, NodeRPCClient } from '@akashnetwork/akash-api/akash/inventory/v1/grpc-js';
import { Empty } from '@akashnetwork/akash-api/google/protobuf';
import { ChannelCredentials, type Client, type ClientReadableStream, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { gib, gpuGroup, nodeInventory, storageInventory } from '@quartermaster/inventory/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ServedInventory, serveInventory } from './serve-inventory.ts';

const units = (allocatable: string, allocated: string) => ({
  allocatable: { string: allocatable },
  allocated: { string: allocated },
  attributes: [],
});

const fullNode = nodeInventory('n1', {
  gpus: [gpuGroup({ amount: { capacity: 2, allocatable: 2, allocated: 1, available: 1, overcommitted: 0 } })],
  storageClasses: ['beta3', 'default'],
  hardware: {
    machine: {},
    cpus: [{ id: '0', vendor: 'GenuineIntel', model: 'Xeon', cores: 8, threads: 16 }],
    memoryModules: [{ manufacturer: 'Samsung', type: 'DDR5', sizeBytes: 32 * gib, speedMtps: 4800 }],
    disks: [],
    nics: [],
  },
});

const gpuInfo = { vendor: 'nvidia', vendorId: '10de', name: 'h100', modelid: '2330', interface: 'SXM5', memorySize: '80Gi' };

const expectedNode = {
  name: 'n1',
  resources: {
    cpu: { quantity: units('16', '3051m'), info: [{ id: '0', vendor: 'GenuineIntel', model: 'Xeon', vcores: 16 }] },
    memory: { quantity: units('60Gi', '2Gi'), info: [{ vendor: 'Samsung', type: 'DDR5', totalSize: '32Gi', speed: '4800 MT/s' }] },
    gpu: { quantity: units('2', '1'), info: [gpuInfo, gpuInfo] },
    ephemeralStorage: units('360Gi', '0'),
    volumesAttached: units('0', '0'),
    volumesMounted: units('0', '0'),
  },
  capabilities: { storageClasses: ['beta3', 'default'] },
};

/** The published client marks every message with its type. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([key, each]) => (key === '$type' ? [] : [[key, plain(each)]])));
}

describe('the published Akash client', () => {
  let served: ServedInventory;
  let cluster: ClusterRPCClient;
  let nodes: NodeRPCClient;
  const empty = Empty.fromPartial({});

  const ask = <T>(call: (done: (error: ServiceError | null, answer: T) => void) => unknown): Promise<T> =>
    new Promise((resolve, reject) => {
      call((error, answer) => (error === null ? resolve(answer) : reject(error)));
    });
  const naming = (node: string): Metadata => {
    const metadata = new Metadata();
    metadata.set('x-quartermaster-node', node);
    return metadata;
  };

  beforeEach(async () => {
    served = await serveInventory();
    const open = <T extends Client>(Type: new (address: string, credentials: ChannelCredentials) => T): T =>
      new Type(served.servers.grpc, ChannelCredentials.createInsecure());
    cluster = open(ClusterRPCClient);
    nodes = open(NodeRPCClient);
  });
  afterEach(async () => {
    cluster.close();
    nodes.close();
    await served.stop();
  });

  const publish = (): void => {
    served.inventory.setNode(fullNode);
    served.inventory.setNode(nodeInventory('n2', { sellability: { state: 'held-back', reasons: [{ code: 'Cordoned', message: 'x' }] } }));
    served.inventory.classes.set('beta3', storageInventory('beta3'));
    served.feed.touch('storage');
  };

  it('reads every field of the cluster', async () => {
    publish();
    const answer = await ask<Cluster>((done) => cluster.queryCluster(empty, done));
    expect(plain(answer)).toEqual({
      nodes: [expectedNode],
      storage: [{ quantity: units('1000Gi', '250Gi'), info: { class: 'beta3', iops: '' } }],
    });
  });

  it('is told that nothing is known yet rather than that there is nothing', async () => {
    await expect(ask<Cluster>((done) => cluster.queryCluster(empty, done))).rejects.toMatchObject({ code: status.UNAVAILABLE });
  });

  it('follows the cluster: what is known at once, then every change, and none that it would not see', async () => {
    publish();
    const stream = cluster.streamCluster(empty);
    const clusters = stream[Symbol.asyncIterator]() as AsyncIterator<Cluster, undefined>;
    expect((await clusters.next()).value?.nodes.map((node: Node) => node.name)).toEqual(['n1']);
    served.inventory.setNode(nodeInventory('n2', { sellability: { state: 'held-back', reasons: [{ code: 'Cordoned', message: 'y' }] } }));
    served.feed.touch('nodes');
    await expect.poll(() => served.feed.state()?.generation.sequence).toBe(2);
    served.inventory.setNode(nodeInventory('n3'));
    served.feed.touch('nodes');
    expect((await clusters.next()).value?.nodes.map((node: Node) => node.name)).toEqual(['n1', 'n3']);
    served.inventory.removeNode('n1');
    served.feed.touch('nodes');
    expect((await clusters.next()).value?.nodes.map((node: Node) => node.name)).toEqual(['n3']);
    endQuietly(stream);
  });

  it('reads a node, sellable or not, and is told to name one when there are several', async () => {
    publish();
    expect(plain(await ask<Node>((done) => nodes.queryNode(empty, naming('n1'), done)))).toEqual(expectedNode);
    expect((await ask<Node>((done) => nodes.queryNode(empty, naming('n2'), done))).name).toBe('n2');
    await expect(ask<Node>((done) => nodes.queryNode(empty, done))).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringContaining('x-quartermaster-node'),
    });
    await expect(ask<Node>((done) => nodes.queryNode(empty, naming('n9'), done))).rejects.toMatchObject({ code: status.NOT_FOUND });
  });

  it('follows a node until it is gone', async () => {
    publish();
    const stream = nodes.streamNode(empty, naming('n1'));
    const states = stream[Symbol.asyncIterator]() as AsyncIterator<Node, undefined>;
    expect(plain((await states.next()).value)).toEqual(expectedNode);
    served.inventory.setNode({ ...fullNode, storageClasses: [] });
    served.feed.touch('nodes');
    expect((await states.next()).value?.capabilities?.storageClasses).toEqual([]);
    served.inventory.removeNode('n1');
    served.feed.touch('nodes');
    await expect(states.next()).rejects.toMatchObject({ code: status.NOT_FOUND });
  });
});

/** Cancelling is reported as an error to whoever still listens. */
function endQuietly(stream: ClientReadableStream<unknown>): void {
  stream.on('error', () => {});
  stream.cancel();
}
