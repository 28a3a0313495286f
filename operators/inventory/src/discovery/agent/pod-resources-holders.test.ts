import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { Server, ServerCredentials, type ServiceDefinition } from '@grpc/grpc-js';
import { ListPodResourcesRequestSchema, ListPodResourcesResponseSchema } from '@quartermaster/api/pod-resources';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { PodResourcesHolders } from './pod-resources-holders.ts';

type Answer = MessageInitShape<typeof ListPodResourcesResponseSchema>;

/** As the kubelet offers it: the bare service on a socket, without health and reflection. */
const lister: ServiceDefinition = {
  list: {
    path: '/v1.PodResourcesLister/List',
    requestStream: false,
    responseStream: false,
    requestSerialize: () => Buffer.from(toBinary(ListPodResourcesRequestSchema, create(ListPodResourcesRequestSchema))),
    requestDeserialize: (bytes: Buffer) => fromBinary(ListPodResourcesRequestSchema, bytes),
    responseSerialize: (value: Answer) =>
      Buffer.from(toBinary(ListPodResourcesResponseSchema, create(ListPodResourcesResponseSchema, value))),
    responseDeserialize: (bytes: Buffer) => fromBinary(ListPodResourcesResponseSchema, bytes),
  },
};

describe('PodResourcesHolders', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quartermaster-kubelet-'));
  });

  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  async function startKubelet(answer: () => Answer): Promise<Server> {
    const server = new Server();
    server.addService(lister, { list: (_call: unknown, reply: (error: null, value: Answer) => void) => reply(null, answer()) });
    await new Promise<void>((resolve, reject) => {
      server.bindAsync(`unix://${join(folder, 'kubelet.sock')}`, ServerCredentials.createInsecure(), (error) =>
        error === null ? resolve() : reject(error),
      );
    });
    onTestFinished(() => server.forceShutdown());
    return server;
  }

  function connect(): PodResourcesHolders {
    const holders = new PodResourcesHolders(join(folder, 'kubelet.sock'));
    onTestFinished(() => holders.close());
    return holders;
  }

  const signal = AbortSignal.timeout(30_000);

  it('lists every device with its holder, sorted', async () => {
    await startKubelet(() => ({
      podResources: [
        { name: 'idle', namespace: 'a', containers: [{ name: 'main' }] },
        {
          name: 'train-0',
          namespace: 'lease',
          containers: [
            { name: 'side', devices: [{ resourceName: 'nvidia.com/mig-1g.10gb', deviceIds: ['MIG-9'] }] },
            {
              name: 'main',
              cpuIds: [1n, 2n],
              devices: [
                { resourceName: 'nvidia.com/gpu', deviceIds: ['GPU-2', 'GPU-1'], topology: { nodes: [{ ID: 0n }] } },
                { resourceName: 'rdma/hca', deviceIds: ['mlx5_0'] },
              ],
            },
          ],
        },
      ],
    }));
    const pod = { namespace: 'lease', pod: 'train-0' };
    expect(await connect().list(signal)).toEqual([
      { ...pod, resource: 'nvidia.com/gpu', deviceId: 'GPU-1', container: 'main' },
      { ...pod, resource: 'nvidia.com/gpu', deviceId: 'GPU-2', container: 'main' },
      { ...pod, resource: 'nvidia.com/mig-1g.10gb', deviceId: 'MIG-9', container: 'side' },
      { ...pod, resource: 'rdma/hca', deviceId: 'mlx5_0', container: 'main' },
    ]);
  });

  it('says that the kubelet does not answer, and finds it again when it is back', async () => {
    const holders = connect();
    await expect(holders.list(signal)).rejects.toThrow(`the kubelet does not answer on ${folder}/kubelet.sock`);
    await startKubelet(() => ({ podResources: [] }));
    await expect.poll(async () => await holders.list(signal).catch(() => 'away'), { timeout: 20_000 }).toEqual([]);
  }, 30_000);
});
