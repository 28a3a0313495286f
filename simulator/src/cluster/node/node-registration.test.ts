import { parseQuantity, wholeValue } from '@quartermaster/kernel';
import type { KubeClient } from '@quartermaster/kube';
import { kinds } from '@quartermaster/kube';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSimulator } from '../../../test/running-simulator.ts';
import { buildHardware } from '../machine/hardware.ts';
import { NodePool } from '../node-pool.ts';

const nodes = Array.from({ length: 30 }, (_, index) => ({
  name: `node-${index}`,
  index,
  hardware: buildHardware({ cpu: 'xeon-6130', sockets: 1, memoryGiB: index % 2 === 0 ? 64 : 128 }, `node-${index}`, 1),
  labels: { rack: `rack-${index % 3}` },
}));

/** Servers write quantities in their own way. */
const amounts = (quantities: Readonly<Record<string, string>> = {}) =>
  new Map(Object.entries(quantities).map(([resource, text]) => [resource, wholeValue(parseQuantity(text))]));

/** What the server has of the nodes and their Leases, by name. */
async function look(client: KubeClient) {
  const [{ items }, leases] = [await client.list(kinds.nodes), await client.list(kinds.leases, { namespace: 'kube-node-lease' })];
  return {
    nodes: new Map(items.map((node) => [node.metadata?.name, node])),
    leases: new Map(leases.items.map((lease) => [lease.metadata?.name, lease])),
  };
}

describe('nodes of a pool', () => {
  it('are registered as they are, each with its Lease, though the server gets them all at once', async () => {
    const { client } = await startSimulator();
    const pool = await NodePool.start({ client, nodes });
    onTestFinished(() => pool.stop());
    const { nodes: there, leases } = await look(client);
    expect([there.size, leases.size]).toEqual([nodes.length, nodes.length]);
    for (const node of pool.nodes) {
      const { metadata, spec, status } = node.object(undefined);
      const { conditions = [], addresses, nodeInfo, capacity = {} } = status ?? {};
      const stored = there.get(node.name);
      expect(stored?.metadata?.labels).toEqual(metadata?.labels);
      expect(stored?.spec).toEqual(spec);
      expect(stored?.status).toMatchObject({ addresses, nodeInfo });
      expect(amounts(stored?.status?.capacity)).toEqual(amounts(capacity));
      expect(stored?.status?.conditions?.map(({ type, status: is }) => [type, is])).toEqual(
        conditions.map(({ type, status: is }) => [type, is]),
      );
      expect(leases.get(node.name)?.spec?.holderIdentity).toBe(node.name);
    }
  });

  it('are taken up by the next pool, which writes those only that are not as it has them', async () => {
    const { client } = await startSimulator();
    await (await NodePool.start({ client, nodes })).stop();
    await client.patch(
      kinds.nodes,
      { name: 'node-1' },
      { kind: 'merge', body: { metadata: { labels: { rack: 'elsewhere', own: 'kept' } } } },
    );
    const unknown = { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } };
    await client.patch(kinds.nodes, { name: 'node-2' }, { kind: 'merge', body: unknown }, { subresource: 'status' });
    await client.delete(kinds.nodes, { name: 'node-3' });
    const before = await look(client);
    const next = await NodePool.start({ client, nodes });
    onTestFinished(() => next.stop());
    const after = await look(client);
    const changed = [...after.nodes].filter(
      ([name, node]) => node.metadata?.resourceVersion !== before.nodes.get(name)?.metadata?.resourceVersion,
    );
    expect(new Set(changed.map(([name]) => name))).toEqual(new Set(['node-1', 'node-2', 'node-3']));
    expect(after.nodes.get('node-1')?.metadata?.labels).toMatchObject({ rack: 'rack-1', own: 'kept' });
    expect(after.nodes.get('node-2')?.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
  });
});
