import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reservationType } from '@quartermaster/api/reservation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addNode, type OperatorCluster, startSimulatedCluster } from '../inventory/operator-cluster.ts';
import { type RunningOperator, startOperator } from '../inventory/running-operator.ts';
import { type ClusterTokens, clusterTokens, installReservations, type RunningReplica, startReplica, until } from './running-cluster.ts';

const patience = { timeout: 30_000, interval: 50 };
const request = { units: [{ id: 1, count: 1, cpuMillis: 1000n, memoryBytes: BigInt(2 ** 30) }] };
const order = (dseq: number) => ({ owner: 'akash1tenant', dseq: BigInt(dseq), gseq: 1, oseq: 1 });

describe('replicas of the cluster service with certificates', () => {
  let directory: string;
  let cluster: OperatorCluster;
  let operator: RunningOperator;
  let tokens: ClusterTokens;
  let leader: RunningReplica;
  let standby: RunningReplica;
  let start: (args: readonly string[]) => Promise<RunningReplica>;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'cluster-peers-'));
    cluster = await startSimulatedCluster();
    await installReservations(cluster.client);
    await addNode(cluster.client, 'n-1');
    operator = await startOperator({ kubeconfig: cluster.kubeconfig });
    const tokenFile = join(directory, 'inventory-token');
    await writeFile(tokenFile, operator.token);
    tokens = await clusterTokens();
    start = (args) => startReplica({ kubeconfig: cluster.kubeconfig, operator, tokenFile, tokens, args });
    leader = await start([]);
    await until(async () => (await leader.client().getStatus({})).isLeader);
    standby = await start([]);
    await until(async () => (await standby.client().getStatus({})).leader !== '');
  });

  afterAll(async () => {
    await standby?.stop();
    await leader?.stop();
    await operator?.stop();
    await tokens?.end();
    await cluster?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  /** Calls that got to the leader, whatever it made of them. */
  async function reservesAtLeader(): Promise<number> {
    const lines = (await leader.metrics.scrape()).text.matchAll(/^quartermaster_cluster_calls_total\{[^}]*\/Reserve"[^}]*\} (\d+)$/gm);
    return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
  }

  it('send on to the leader whose certificate has the name that they expect', async () => {
    const reserved = async () => (await standby.client().reserve({ order: order(1), request })).outcome.case;
    await expect.poll(reserved, patience).toBe('reservation');
    expect((await cluster.client.list(reservationType)).items).toHaveLength(1);
    expect(await reservesAtLeader()).toBeGreaterThan(0);
  });

  it('send no token to whoever has another name', async () => {
    const suspicious = await start(['--cluster-peer-server-name=somebody-else']);
    try {
      // It knows where the leader is, and does not call it.
      await until(async () => (await suspicious.client().getStatus({})).leader !== '');
      const before = await reservesAtLeader();
      await expect(suspicious.client().reserve({ order: order(2), request })).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringMatching(/certificate/),
      });
      expect(await reservesAtLeader()).toBe(before);
      expect((await cluster.client.list(reservationType)).items).toHaveLength(1);
    } finally {
      await suspicious.stop();
    }
  });

  it('belong to one installation: another one on the same cluster does not lead beside it, and is sent no token', async () => {
    const other = await clusterTokens();
    const stranger = await startReplica({
      kubeconfig: cluster.kubeconfig,
      operator,
      tokenFile: join(directory, 'inventory-token'),
      tokens: other,
    });
    try {
      await until(async () => (await stranger.client().getStatus({})).leader !== '');
      const { isLeader, leader: leading } = await stranger.client().getStatus({});
      expect({ isLeader, leading }).toEqual({ isLeader: false, leading: (await leader.client().getStatus({})).replica });
      await expect(stranger.client().reserve({ order: order(2), request })).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringMatching(/certificate/),
      });
    } finally {
      await stranger.stop();
      await other.end();
    }
  });

  it('go on when the leader ends: what was promised stays, and another one leads', async () => {
    await leader.stop();
    await expect.poll(async () => (await standby.client().getStatus({})).isLeader, patience).toBe(true);
    const reserved = async () => (await standby.client().reserve({ order: order(3), request })).outcome.case;
    await expect.poll(() => reserved().catch(String), patience).toBe('reservation');
    // Each leader has a higher term, and what may still be planned anew has that of the last one.
    const listed = async () => {
      const { reservations } = await standby.client().listReservations({});
      return [reservations.map(({ order: of }) => of?.dseq), new Set(reservations.map(({ term }) => term)).size];
    };
    await expect.poll(listed, patience).toEqual([[1n, 3n], 1]);
  });
});
