import { kinds } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addNode, gib, hardwareOf, type OperatorCluster, patience, report } from './operator-cluster.ts';
import { type RunningOperator, startOperator } from './running-operator.ts';

const labels = {
  'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3',
  'nvidia.com/gpu.memory': '81559',
  'nvidia.com/gpu.family': 'hopper',
  'nvidia.com/gpu.compute.major': '9',
  'nvidia.com/gpu.compute.minor': '0',
  'nvidia.com/gpu.clique': 'fabric-1.7',
};

/** What readers learn of cards and machines, by an agent or without one. */
export function describePublishedFacts(cluster: () => OperatorCluster): void {
  describe('what is known of cards and machines', () => {
    let operator: RunningOperator;

    beforeAll(async () => {
      operator = await startOperator(cluster());
    });

    afterAll(async () => {
      await operator?.stop();
      for (const name of ['without-agent', 'with-agent']) await cluster().client.delete(kinds.nodes, { name });
    });

    const published = async (name: string) => (await operator.grpc.getSnapshot({})).snapshot?.nodes.find((node) => node.name === name);
    const detail = async (name: string) => (await operator.views.getView({ view: `node?name=${name}` })).state;

    it('comes from the labels of the GPU operator where no agent runs', async () => {
      await addNode(cluster().client, 'without-agent', { labels });
      const known = { model: 'h100', interface: 'SXM5', memoryBytes: 80n * BigInt(gib), architecture: 'hopper', computeCapability: '9.0' };
      await expect
        .poll(() => published('without-agent'), patience)
        .toMatchObject({ gpus: [known], nvlinkDomain: 'fabric-1.7', devices: [] });
      await expect
        .poll(() => detail('without-agent'), patience)
        .toMatchObject({
          head: { detail: { models: [{ name: 'nvidia h100 SXM5 80Gi', architecture: 'hopper', computeCapability: '9.0' }] } },
        });
      const named = async () => (await cluster().client.get(kinds.nodes, { name: 'without-agent' })).metadata?.labels;
      await expect.poll(named, patience).toMatchObject({ 'akash.network/capabilities.gpu.vendor.nvidia.model.h100.ram.80Gi': '8' });
    });

    it('comes from the agent in full, with what it could not read', async () => {
      const mig = { enabled: false, instances: [], profiles: ['1g.10gb', '7g.80gb'] };
      const facts = hardwareOf('with-agent', '2330', { problems: ['/sys/class/dmi: permission denied'] });
      const gpus = facts.gpus?.map((gpu) => ({ ...gpu, computeCapability: '9.0', nvlinks: 18, nvlinkGroup: 0, numaNode: 1, mig }));
      await addNode(cluster().client, 'with-agent');
      await report(cluster().client, 'with-agent', { ...facts, gpus });
      await expect.poll(async () => (await published('with-agent'))?.devices.length, patience).toBe(8);
      expect(await published('with-agent')).toMatchObject({
        devices: gpus?.map(() => ({
          architecture: 'hopper',
          computeCapability: '9.0',
          nvlinks: 18,
          nvlinkGroup: 0,
          numaNode: 1,
          mig: { enabled: false, profiles: mig.profiles },
        })),
        hardware: { architecture: 'amd64', memoryBytes: 512n * BigInt(gib), problems: facts.problems, agentVersion: '0.1.0' },
      });
      await expect
        .poll(() => detail('with-agent'), patience)
        .toMatchObject({
          head: { detail: { architecture: 'amd64', agentProblems: facts.problems, gpus: gpus?.map(() => ({ nvlinks: 18, mig })) } },
        });
    });

    it('says whether names of PCI devices are there', async () => {
      const { parts } = await operator.grpc.getStatus({});
      expect(parts.find(({ name }) => name === 'pci.ids')?.message).toBe(operator.inventory.gpus.pciProblem ?? '');
    });
  });
}
