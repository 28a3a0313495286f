import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GpuState, InventoryService } from '@quartermaster/api/inventory';
import { nodeHardwareType } from '@quartermaster/api/node-hardware';
import { KubeClient, kinds, podExec } from '@quartermaster/kube';
import type { Pod } from '@quartermaster/kube/shapes';
import { openRpcChannel, type RpcChannel } from '@quartermaster/rpc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quartermasterInProcess, RunningUp } from '../up/running-up.ts';

/** Everything runs on one small machine. */
const patience = { timeout: 50_000, interval: 100 };

interface RunFile {
  readonly roles: { readonly 'operator-inventory': { readonly grpc: string; readonly tokenFile: string } };
}

describe('the agents of simulated nodes', { timeout: 180_000 }, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'simulated-agents-'));
  let up: RunningUp;
  let client: KubeClient;
  let channel: RpcChannel;

  beforeAll(async () => {
    up = new RunningUp(['--data-dir', dataDir, '--port', '0']);
    const { kubeconfig } = await up.ready();
    client = await KubeClient.connect({ kubeconfig });
    const { roles } = JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8')) as RunFile;
    const { grpc, tokenFile } = roles['operator-inventory'];
    const token = readFileSync(tokenFile, 'utf8').trim();
    channel = openRpcChannel({ address: grpc, token: () => token, tries: 1 });
  });

  afterAll(async () => {
    channel?.close();
    await client?.close();
    await up?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const command = async (...args: readonly string[]) => await quartermasterInProcess(...args, '--data-dir', dataDir);

  const snapshot = async () => (await channel.client(InventoryService).getSnapshot({})).snapshot;
  const shownGpus = async () => (await snapshot())?.nodes.flatMap(({ devices }) => devices) ?? [];

  async function trainer(): Promise<Pod> {
    const { items } = await client.list(kinds.pods, { namespace: 'tenant-1' });
    const found = items.find(({ metadata, status }) => metadata?.name?.startsWith('trainer-') === true && status?.phase === 'Running');
    expect(found).toBeDefined();
    return found ?? {};
  }

  it('tell who holds which GPU, and the inventory shows it with how busy it is', async () => {
    await expect.poll(shownGpus, patience).toHaveLength(6);
    const held = async () => (await shownGpus()).filter(({ holder, utilization = 0 }) => holder !== undefined && utilization > 0);
    await expect.poll(held, patience).toHaveLength(1);
    const [gpu] = await held();
    const { metadata } = await trainer();
    expect(gpu?.holder).toMatchObject({ namespace: 'tenant-1', pod: metadata?.name });
    const others = async () =>
      (await shownGpus()).filter(({ id }) => id !== gpu?.id).map(({ holder, utilization }) => [holder, utilization]);
    await expect.poll(others, patience).toEqual(Array.from({ length: 5 }, () => [undefined, 0]));
  });

  it('name the same GPU as the container sees itself', async () => {
    const { metadata, spec } = await trainer();
    const pod = { namespace: 'tenant-1', name: metadata?.name ?? '' };
    const container = spec?.containers[0]?.name ?? '';
    const listed = await podExec(client, pod, { container, command: ['nvidia-smi', '--query-gpu=uuid', '--format=csv,noheader'] });
    const [seen, ...others] = listed.stdout.trim().split('\n');
    expect(others).toEqual([]);
    const { status } = await client.get(nodeHardwareType, { name: spec?.nodeName ?? '' });
    expect(status?.devices).toEqual([{ resource: 'nvidia.com/gpu', deviceId: seen, namespace: 'tenant-1', pod: pod.name, container }]);
    const variables = await podExec(client, pod, { container, command: ['env'] });
    expect(variables.stdout).toContain(`NVIDIA_VISIBLE_DEVICES=${seen}\n`);
  });

  it('find the storage of their nodes, which is offered', async () => {
    const offered = async () => (await snapshot())?.storage.filter(({ refusal }) => refusal === undefined);
    await expect.poll(offered, patience).toMatchObject([{ name: 'beta3', backend: 'local-path', performance: 'beta3' }]);
  });

  it('find out that a GPU is lost, which is then quarantined, until it is back', async () => {
    const states = async () => (await shownGpus()).map(({ state }) => state).filter((state) => state === GpuState.QUARANTINED);
    expect(await states()).toEqual([]);
    expect(await command('simulate', 'fault', 'add', 'gpu-loss', 'node-3', '--count', '2')).toMatchObject({ exitCode: 0 });
    await expect.poll(states, patience).toHaveLength(2);
    const [lost] = (await client.get(nodeHardwareType, { name: 'node-3' })).spec.gpus ?? [];
    expect(lost?.health).toEqual({ state: 'unhealthy', reason: expect.stringContaining('GPU is lost') });
    expect(await command('simulate', 'fault', 'remove', 'gpu-loss:node-3')).toMatchObject({ exitCode: 0 });
    const healthy = async () => (await client.get(nodeHardwareType, { name: 'node-3' })).spec.gpus?.map(({ health }) => health.state);
    await expect.poll(healthy, patience).toEqual(['healthy', 'healthy']);
  });
});
