import { kinds, resourceType } from '@quartermaster/kube';
import type { ImageRole } from '../cluster/kubelet/image-registry.ts';
import type { Scenario } from './scenario.ts';
import { openDefinition, type WorldObject } from './world-object.ts';

type CephSettings = NonNullable<Scenario['storage']['ceph']>;

const cephClusters = resourceType({ group: 'ceph.rook.io', version: 'v1', kind: 'CephCluster', plural: 'cephclusters', namespaced: true });
const cephBlockPools = resourceType({
  group: 'ceph.rook.io',
  version: 'v1',
  kind: 'CephBlockPool',
  plural: 'cephblockpools',
  namespaced: true,
});

/** The image of the pod in which Ceph's own commands run. */
export const cephToolsImage = 'registry.invalid/ceph-tools';

/** What Rook shows of a Ceph cluster: its objects, and the pod with Ceph's tools. */
export function* cephObjects({ namespace, pools }: CephSettings): Generator<WorldObject, void> {
  yield { type: kinds.namespaces, object: { metadata: { name: namespace } } };
  yield { type: kinds.customResourceDefinitions, object: openDefinition(cephClusters) };
  yield { type: kinds.customResourceDefinitions, object: openDefinition(cephBlockPools) };
  const cluster = {
    metadata: { namespace, name: namespace },
    spec: {},
    status: { state: 'Created', phase: 'Ready', ceph: { health: 'HEALTH_OK' } },
  };
  yield { type: cephClusters, object: cluster };
  for (const { name, replicas } of pools) {
    const pool = {
      metadata: { namespace, name },
      spec: { failureDomain: 'host', replicated: { size: replicas } },
      status: { phase: 'Ready' },
    };
    yield { type: cephBlockPools, object: pool };
  }
  const labels = { app: 'rook-ceph-tools' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'rook-ceph-tools', image: cephToolsImage }] } };
  const tools = {
    metadata: { namespace, name: 'rook-ceph-tools', labels },
    spec: { replicas: 1, selector: { matchLabels: labels }, template },
  };
  yield { type: kinds.deployments, object: tools };
}

/** Answers `ceph df` and `ceph status` as JSON; register it for `cephToolsImage`. */
export function cephTools({ pools }: CephSettings): ImageRole {
  const answers = new Map<string, unknown>([
    ['df', dfOf(pools)],
    ['status', { health: { status: 'HEALTH_OK' } }],
  ]); // subcommand -> answer
  return {
    run: (_context, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(0), { once: true });
      }),
    exec: async (_context, command, io) => {
      const answer = command[0] === 'ceph' ? answers.get(command[1] ?? '') : undefined;
      if (answer !== undefined) await io.write(`${JSON.stringify(answer)}\n`);
      else await io.write(`${command.join(' ')}: the simulated Ceph answers ceph df and ceph status only\n`, 'stderr');
      return answer === undefined ? 22 : 0;
    },
  };
}

function dfOf(pools: CephSettings['pools']): object {
  const gib = 2 ** 30;
  const rawBytes = pools.reduce((sum, { sizeGiB, replicas }) => sum + sizeGiB * replicas, 0) * gib;
  const usedBytes = pools.reduce((sum, { usedGiB, replicas }) => sum + usedGiB * replicas, 0) * gib;
  return {
    stats: { total_bytes: rawBytes, total_avail_bytes: rawBytes - usedBytes, total_used_bytes: usedBytes },
    pools: pools.map(({ name, sizeGiB, usedGiB }, index) => ({
      name,
      id: index + 1,
      stats: { stored: usedGiB * gib, bytes_used: usedGiB * gib, max_avail: Math.max(sizeGiB - usedGiB, 0) * gib, objects: 0 },
    })),
  };
}
