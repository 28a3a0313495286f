import type { AmountTuple, NodeRow } from '@quartermaster/api/inventory-views';
import { type CardGroup, groupKey, type Plan } from '@quartermaster/cluster';
import type { InventoryChange, LeasePod, NodeFigures } from '@quartermaster/cluster/testing';

const tib = 1024 ** 4;

/** Cards of the farm as orders name them: the first word is the vendor. */
function groupOf(name: string): CardGroup {
  const [vendor = '', ...model] = name.split(' ');
  return { vendor, model: model.join(' '), interface: '', memoryBytes: 0 };
}

const classes: InventoryChange['classes'] = [
  { facts: { name: 'beta3', performance: 'beta3', freeBytes: 24 * tib }, allocatableBytes: 42 * tib, allocatedBytes: 18 * tib },
  { facts: { name: 'longhorn', refusal: { code: 'BackendUnhealthy', message: 'Longhorn reports 3 degraded volumes' } } },
];

/** The nodes of a farm as a cluster service hears of them. */
export function inventoryOf(nodes: readonly NodeRow[], pods: readonly LeasePod[]): InventoryChange {
  return {
    kind: 'whole',
    generation: { epoch: 'e', sequence: 7n },
    observedAt: Date.now(),
    nodes: nodes.map(figuresOf),
    removedNodes: [],
    classes,
    removedClasses: [],
    pods,
    removedPods: [],
    volumes: [],
    removedVolumes: [],
  };
}

function figuresOf({ name, sale }: NodeRow): NodeFigures {
  if (sale === undefined) throw new Error(`${name} is not in the inventory`);
  const groups = Object.keys(sale.models).map(groupOf);
  const { cpu, memory, disk, gpu = [0, 0, 0, 0, 0] } = sale;
  const size = gpu[1] + gpu[2];
  const amounts = (of: (tuple: AmountTuple) => number) => ({
    cpuMillis: of(cpu),
    memoryBytes: of(memory),
    ephemeralBytes: of(disk),
    cards: new Map(groups.slice(0, 1).map((group) => [groupKey(group), of(gpu)])),
  });
  const { cards: _cards, ...free } = amounts(([, , sellable]) => sellable);
  return {
    facts: {
      name,
      uid: `uid-${name}`,
      heldBack: sale.why.map((code) => ({ code, message: `held back: ${code}` })),
      ...free,
      cards: groups.length === 0 ? [] : [{ resource: 'nvidia.com/gpu', assignedBy: 'plugin', size, free: gpu[2], mayBeFree: groups }],
      storageClasses: ['beta3'],
    },
    allocatable: amounts(([, allocated, sellable]) => allocated + sellable),
    allocated: amounts(([, allocated]) => allocated),
  };
}

/** The pods that the first replicas of a plan have become, in the namespace with this uid. */
export function podsOf({ units }: Plan, namespaceUid: string, count: number): readonly LeasePod[] {
  const replicas = units.flatMap((unit) => unit.replicas.map((replica) => ({ unit, replica })));
  return replicas.slice(0, count).map(({ unit, replica }, at) => ({
    uid: `${namespaceUid}-pod-${at}`,
    namespace: 'lease',
    namespaceUid,
    name: `web-${at}`,
    service: 'web',
    node: replica.node,
    cpuMillis: unit.cpuMillis,
    memoryBytes: unit.memoryBytes,
    ephemeralBytes: unit.ephemeralBytes,
    cards: new Map(replica.cards === undefined ? [] : [[replica.cards.resource, replica.cards.count]]),
    cardGroups: replica.cards?.groups ?? [],
    devices: [],
  }));
}
