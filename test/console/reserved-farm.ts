import type { AmountTuple, CapacityLine, NodeRow } from '@quartermaster/api/inventory-views';
import { owners, ReservingCluster } from './reserving-cluster.ts';
import { ScriptedLeases } from './scripted-leases.ts';
import { farm, ScriptedSource } from './scripted-source.ts';

/** Lines that add up to the nodes, as those of the inventory do. */
function linesOf(nodes: readonly NodeRow[], others: readonly CapacityLine[]): readonly CapacityLine[] {
  const line = (
    kind: CapacityLine['kind'],
    name: string,
    unit: CapacityLine['unit'],
    tuples: readonly (AmountTuple | undefined)[],
  ): CapacityLine => {
    const sum = (at: 1 | 2 | 3 | 4): number => tuples.reduce((total, tuple) => total + (tuple?.[at] ?? 0), 0);
    return { kind, name, unit, division: { allocated: sum(1), sellable: sum(2), heldBack: sum(3), unknown: sum(4) }, why: [] };
  };
  // A node of several models counts as the first.
  const byModel = Map.groupBy(
    nodes.filter(({ sale }) => sale?.gpu !== undefined),
    ({ sale }) => Object.keys(sale?.models ?? {})[0] ?? '',
  );
  return [
    line(
      'resource',
      'gpu',
      'devices',
      nodes.map(({ sale }) => sale?.gpu),
    ),
    line(
      'resource',
      'cpu',
      'millicores',
      nodes.map(({ sale }) => sale?.cpu),
    ),
    line(
      'resource',
      'memory',
      'bytes',
      nodes.map(({ sale }) => sale?.memory),
    ),
    line(
      'resource',
      'disk',
      'bytes',
      nodes.map(({ sale }) => sale?.disk),
    ),
    ...[...byModel].map(([model, own]) =>
      line(
        'model',
        model,
        'devices',
        own.map(({ sale }) => sale?.gpu),
      ),
    ),
    ...others.filter(({ kind }) => kind === 'class'),
  ];
}

/** A farm of forty nodes of which some is promised: pending, active, not confirmed yet, and more on one node than there is. */
export function reservedFarm(leases = ScriptedLeases.none()): { readonly source: ScriptedSource; readonly reserving: ReservingCluster } {
  const source = new ScriptedSource(farm({ nodeCount: 40 }));
  const nodes = (): readonly NodeRow[] => source.current().cluster?.nodes ?? [];
  source.inventory.lines = linesOf(nodes(), source.inventory.lines);
  const reserving = new ReservingCluster(nodes);
  reserving.more.push(leases.service());
  const [, other] = owners;
  reserving.reserve(
    { count: 4, gpus: 2 },
    { phase: 'active', expiresAt: undefined, pods: 1, leaseNamespace: { name: 'lease-of-rita', uid: 'uid-lease' } },
  );
  reserving.reserve({ count: 2, gpus: 1 });
  reserving.reserve({ count: 1, owner: other }, { isConfirmed: false });
  const short = reserving.reserve({ count: 1, owner: other }, { phase: 'active', expiresAt: undefined });
  const node = short.plan.units[0]?.replicas[0]?.node ?? '';
  reserving.leaveCores(node, 2_000);
  return { source, reserving };
}
