import type { Inventory } from '@quartermaster/inventory';
import { kinds } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { addNode, hardwareOf, type OperatorCluster, patience, report } from './operator-cluster.ts';
import { type RunningOperator, startOperator } from './running-operator.ts';

type NodeView = NonNullable<ReturnType<Inventory['feed']['node']>>;

const since = '2026-01-02T00:00:00Z';

/** What the operator makes of what others' health checks write on nodes. */
export function describeSignals(cluster: () => OperatorCluster): void {
  describe('health signals of others on nodes', () => {
    let operator: RunningOperator;

    beforeAll(async () => {
      operator = await startOperator(cluster());
      await addNode(cluster().client, 'watched');
      await report(cluster().client, 'watched', hardwareOf('watched'));
      await vi.waitUntil(() => node()?.devices.length === 8, patience);
    });

    afterAll(async () => {
      await operator?.stop();
      await cluster().client.delete(kinds.nodes, { name: 'watched' });
    });

    const node = (): NodeView | undefined => operator.inventory.feed.node('watched');
    const quarantined = () => node()?.devices.flatMap(({ id, state }) => (state === 'quarantined' ? [id] : []));
    const available = () => node()?.gpus[0]?.amount.available;

    /** As node-problem-detector and NVSentinel set a condition: beside those of the kubelet. */
    async function setCondition(type: string, status: string, message: string): Promise<void> {
      const condition = { type, status, reason: `${type}IsNotHealthy`, message, lastTransitionTime: since };
      const patch = { kind: 'strategic', body: { status: { conditions: [condition] } } } as const;
      await cluster().client.patch(kinds.nodes, { name: 'watched' }, patch, { subresource: 'status' });
    }

    it('hold back the node while node-problem-detector reports a problem', async () => {
      await setCondition('ReadonlyFilesystem', 'True', 'Remounting filesystem read-only');
      await expect.poll(() => node()?.sellability.state, patience).toBe('held-back');
      expect(node()?.sellability.reasons).toMatchObject([{ code: 'HealthSignal', since: Date.parse(since) }]);
      expect(node()?.sellability.reasons[0]?.message).toContain('Remounting filesystem read-only');
      await setCondition('ReadonlyFilesystem', 'False', 'Filesystem is not read-only');
      await expect.poll(() => node()?.sellability.state, patience).toBe('sellable');
    });

    it('hold back the card that NVSentinel names, and no other', async () => {
      await setCondition(
        'SysLogsXIDError',
        'True',
        'ErrorCode:79 GPU_UUID:GPU-watched-3 fallen off the bus Recommended Action=RESTART_BM;',
      );
      await expect.poll(quarantined, patience).toEqual(['GPU-watched-3']);
      expect(available()).toBe(7);
      const { devices = [] } = (await operator.grpc.getSnapshot({})).snapshot?.nodes.find(({ name }) => name === 'watched') ?? {};
      expect(devices.find(({ id }) => id === 'GPU-watched-3')?.reason?.code).toBe('GpuHealthSignal');
      await setCondition('SysLogsXIDError', 'False', 'No health failures');
      await expect.poll(available, patience).toBe(8);
    });

    it('hold back all cards while the GPU operator cuts them anew', async () => {
      const label = async (state: string) => {
        const body = { metadata: { labels: { 'nvidia.com/mig.config.state': state } } };
        await cluster().client.patch(kinds.nodes, { name: 'watched' }, { kind: 'merge', body });
      };
      await label('pending');
      await expect.poll(available, patience).toBe(0);
      expect(node()?.sellability.state).toBe('sellable');
      await label('success');
      // Cards that recovered a moment ago are sold again after a minute of calm.
      await expect.poll(() => node()?.devices.map(({ reason }) => reason?.code ?? 'none'), patience).not.toContain('GpuHealthSignal');
    });
  });
}
