import fc from 'fast-check';
import { parseCommitLevel } from '../src/placement/commit-level.ts';
import type { PlacingOptions } from '../src/placement/place.ts';
import type { GpuWant, Request, Unit, Volume } from '../src/placement/request.ts';
import { Stock } from '../src/placement/stock.ts';
import type { CardGroup, CardPool, ClassFacts, NodeFacts } from '../src/placement/stock-facts.ts';
import { isWanted, type World } from './reference-model.ts';

const Gi = 2 ** 30;

const groups: readonly CardGroup[] = [
  { vendor: 'nvidia', model: 'a100', interface: 'SXM4', memoryBytes: 80 * Gi },
  { vendor: 'nvidia', model: 'a100', interface: 'PCIe', memoryBytes: 40 * Gi },
  { vendor: 'nvidia', model: 't4', interface: 'PCIe', memoryBytes: 16 * Gi },
  { vendor: 'amd', model: 'mi210', interface: 'PCIe', memoryBytes: 64 * Gi },
  { vendor: 'amd', model: 'mi300x', interface: 'OAM', memoryBytes: 192 * Gi },
];
const vendors = ['nvidia', 'amd'];
const groupsOf = (vendor: string): CardGroup[] => groups.filter((group) => group.vendor === vendor);
const want: fc.Arbitrary<GpuWant> = fc.constantFrom<GpuWant>(
  { vendor: 'nvidia', model: '*' },
  { vendor: 'nvidia', model: 'a100' },
  { vendor: 'nvidia', model: 'a100', memoryBytes: 80 * Gi },
  { vendor: 'nvidia', model: '*', interface: 'pcie' },
  { vendor: 'nvidia', model: 't4' },
  { vendor: 'amd', model: '*' },
  { vendor: 'amd', model: 'mi210' },
);

const classNames = ['disk', 'flash', 'local', 'scratch'];

function claimPool(resource: string, vendor: string): fc.Arbitrary<CardPool> {
  return fc
    .record({
      chosen: fc.subarray(groupsOf(vendor), { minLength: 1, maxLength: 2 }),
      free: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 2, maxLength: 2 }),
    })
    .map(({ chosen, free }) => ({
      resource,
      assignedBy: 'claim',
      groups: chosen.map((group, at) => ({ ...group, size: 4, free: free[at] ?? 0 })),
    }));
}

function pluginPool(vendor: string): fc.Arbitrary<CardPool> {
  return fc
    .record({ mayBeFree: fc.subarray(groupsOf(vendor), { minLength: 1, maxLength: 2 }), free: fc.integer({ min: -1, max: 4 }) })
    .map(({ mayBeFree, free }) => ({ resource: `${vendor}.com/gpu`, assignedBy: 'plugin', size: 4, free, mayBeFree }));
}

/** Of one vendor, by either way or by both: some machines have a plugin for some cards and claims for others. */
const pools = (vendor: string): fc.Arbitrary<readonly CardPool[]> =>
  fc.oneof(
    claimPool(`gpu.${vendor}.com`, vendor).map((each) => [each]),
    pluginPool(vendor).map((each) => [each]),
    fc.tuple(claimPool(`gpu.${vendor}.com`, vendor), pluginPool(vendor)),
  );

const node: fc.Arbitrary<Omit<NodeFacts, 'name' | 'uid'>> = fc.record({
  heldBack: fc.oneof(
    { weight: 9, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.constant([{ code: 'Cordoned', message: 'is cordoned' }]) },
  ),
  cpuMillis: fc.integer({ min: -1, max: 16 }).map((n) => n * 500),
  memoryBytes: fc.integer({ min: -1, max: 16 }).map((n) => n * Gi),
  ephemeralBytes: fc.integer({ min: -1, max: 16 }).map((n) => n * Gi),
  podSlots: fc.oneof(fc.constant(undefined), fc.integer({ min: -1, max: 6 })),
  cards: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 2, arbitrary: pools('nvidia') },
    { weight: 1, arbitrary: fc.tuple(...vendors.map(pools)).map((all) => all.flat()) },
  ),
  storageClasses: fc.oneof({ weight: 3, arbitrary: fc.constant(classNames) }, { weight: 1, arbitrary: fc.subarray(classNames) }),
  spreadKey: fc.constantFrom(undefined, undefined, 'east', 'west'),
});

const nodes = (max: number): fc.Arbitrary<readonly NodeFacts[]> =>
  // Nodes that are alike are where symmetry is broken, so there should be some.
  fc
    .tuple(fc.array(node, { minLength: 1, maxLength: 3 }), fc.array(fc.nat(2), { minLength: 1, maxLength: max }))
    .map(([kinds, picks]) =>
      picks.map((pick, at) => ({ ...(kinds[pick % kinds.length] as NodeFacts), name: `node-${at}`, uid: `uid-${at}` })),
    );

const refusal = fc.oneof(
  { weight: 9, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constant({ code: 'Ill', message: 'is ill' }) },
);

function classesOn(names: readonly string[], maxGi: number): fc.Arbitrary<readonly ClassFacts[]> {
  const freeBytes = fc.integer({ min: 0, max: maxGi }).map((n) => n * Gi);
  const perNode = fc
    .array(freeBytes, { minLength: names.length, maxLength: names.length })
    .map((free) => new Map(names.map((name, at) => [name, free[at] ?? 0])));
  const ephemeralNodes = fc.subarray([...names]).map((list) => new Set(list));
  const local = { freeBytes: perNode, ephemeralNodes };
  const wide = {
    freeBytes: fc.oneof({ weight: 9, arbitrary: freeBytes }, { weight: 1, arbitrary: fc.constant(undefined) }),
    ephemeralNodes: fc.oneof(fc.constant(undefined), ephemeralNodes),
    maybeEphemeralNodes: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: ephemeralNodes }),
  };
  const shared = (name: string) => fc.constantFrom(undefined, undefined, [name]);
  return fc.tuple(
    fc.record({
      ...wide,
      name: fc.constant('disk'),
      performance: fc.constantFrom('beta1', 'beta2'),
      refusal,
      isDefault: fc.boolean(),
      replicas: fc.constantFrom(undefined, 2, 3),
      replicasPerNode: fc.constantFrom(undefined, undefined, 2),
      sharesSpaceWith: shared('flash'),
    }),
    fc.record({
      ...wide,
      name: fc.constant('flash'),
      performance: fc.constantFrom('beta2', 'default'),
      refusal,
      largestVolumeBytes: fc.constantFrom(undefined, 2 * Gi),
    }),
    fc.record({ ...local, name: fc.constant('local'), performance: fc.constant('beta3'), sharesSpaceWith: shared('scratch') }),
    fc.record({
      ...local,
      name: fc.constant('scratch'),
      performance: fc.constantFrom('beta3', undefined),
      replicas: fc.constantFrom(undefined, 2),
    }),
  );
}

const volume: fc.Arbitrary<(name: string) => Volume> = fc
  .tuple(
    fc.constantFrom('ephemeral', 'ephemeral', 'ram', 'persistent', 'persistent'),
    fc.constantFrom('default', 'beta1', 'beta2', 'beta3', 'local', 'scratch'),
    fc.integer({ min: 1, max: 4 }),
  )
  .map(([kind, className, size]) => (name) => {
    if (kind === 'persistent') return { kind, name, class: className, bytes: size * Gi };
    return { kind: kind === 'ram' ? 'ram' : 'ephemeral', name, bytes: size * Gi };
  });

const unit: fc.Arbitrary<Omit<Unit, 'id'>> = fc.record({
  count: fc.integer({ min: 1, max: 8 }),
  cpuMillis: fc.integer({ min: 1, max: 6 }).map((n) => n * 500),
  memoryBytes: fc.integer({ min: 1, max: 4 }).map((n) => n * Gi),
  gpus: fc.oneof(
    fc.constant(undefined),
    fc.record({ count: fc.integer({ min: 0, max: 3 }), wants: fc.uniqueArray(want, { minLength: 1, maxLength: 2 }) }),
  ),
  volumes: fc
    .oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 3, arbitrary: fc.array(volume, { maxLength: 2 }) })
    .map((makers) => makers.map((make, at) => make(`volume-${at}`))),
  randomPorts: fc.constantFrom(0, 0, 0, 1, 2),
  leasedIps: fc.constantFrom([], [], [], [], [], [], ['front'], ['front', 'back']),
});

/** So many replicas at most, together. */
export const requests = (maxReplicas: number): fc.Arbitrary<Request> =>
  fc.array(unit, { minLength: 1, maxLength: Math.min(4, maxReplicas) }).map((units) => {
    let left = maxReplicas;
    const kept: Unit[] = [];
    for (const [at, each] of units.entries()) {
      const count = Math.min(each.count, left - (units.length - at - 1));
      left -= count;
      kept.push({ ...each, id: at + 1, count });
    }
    return { units: kept };
  });

export const worlds = (maxNodes: number): fc.Arbitrary<World> =>
  nodes(maxNodes).chain((list) =>
    fc.record({
      nodes: fc.constant(list),
      classes: classesOn(
        list.map(({ name }) => name),
        40,
      ),
      cluster: fc.record({
        freePorts: fc.integer({ min: 0, max: 40 }),
        freeIps: fc.constantFrom<number | 'unknown'>(0, 1, 5, 5, 5, 'unknown'),
      }),
      headroom: fc.constantFrom(
        {},
        {},
        { cards: 1 },
        { cpuMillis: 500, memoryBytes: Gi, ephemeralBytes: Gi, persistentBytes: Gi, ports: 1, ips: 1 },
      ),
      levels: fc.record({ cpu: level, memory: level, storage: level }),
    }),
  );

const level = fc.constantFrom(100, 100, 150, 250);

/** Little space: what classes share with each other and with ephemeral storage decides. */
const storageWorlds: fc.Arbitrary<World> = nodes(3).chain((list) => {
  const names = list.map(({ name }) => name);
  const roomy = (ephemeral: readonly number[]): NodeFacts[] =>
    list.map((each, i) => ({
      ...each,
      heldBack: [],
      cpuMillis: 100_000,
      memoryBytes: 100 * Gi,
      ephemeralBytes: (ephemeral[i] ?? 0) * Gi,
      storageClasses: classNames,
    }));
  return fc.record({
    nodes: fc.array(fc.integer({ min: 0, max: 14 }), { minLength: list.length, maxLength: list.length }).map(roomy),
    classes: classesOn(names, 14),
    cluster: fc.constant({ freePorts: 0, freeIps: 0 }),
    headroom: fc.constantFrom({}, { persistentBytes: Gi, ephemeralBytes: Gi }),
    levels: fc.record({ cpu: level, memory: level, storage: level }),
  });
});

const storageUnit = fc.record({
  count: fc.integer({ min: 1, max: 2 }),
  volumes: fc.array(volume, { minLength: 1, maxLength: 3 }).map((makers) => makers.map((make, i) => make(`volume-${i}`))),
});
const storageRequests = fc
  .array(storageUnit, { minLength: 1, maxLength: 3 })
  .map((units) => ({ units: units.map((each, i) => ({ id: i + 1, cpuMillis: 500, memoryBytes: Gi, ...each })) }));

export const storageCases: fc.Arbitrary<readonly [World, Request]> = fc.tuple(storageWorlds, storageRequests);

/** The same, one request after the other. */
export const storageSeries: fc.Arbitrary<readonly [World, readonly Request[]]> = fc.tuple(
  storageWorlds,
  fc.array(storageRequests, { minLength: 2, maxLength: 6 }),
);

/** Worlds in which a hidden placement of the request just fits, or just fails to: where a search has to turn back. */
export const tightWorlds = (request: Request, maxNodes: number): fc.Arbitrary<World> => {
  const replicas = request.units.flatMap((each) => Array.from({ length: each.count }, () => each));
  const seat = fc.record({ node: fc.nat(maxNodes - 1), group: fc.nat(groups.length - 1) });
  return fc
    .record({
      seats: fc.array(seat, { minLength: replicas.length, maxLength: replicas.length }),
      slack: fc.array(fc.constantFrom(...Array<number>(16).fill(0), 1, 1, -1), { minLength: maxNodes * 4, maxLength: maxNodes * 4 }),
      claims: fc.array(fc.boolean(), { minLength: maxNodes, maxLength: maxNodes }),
    })
    .map(({ seats, slack, claims }) => {
      const seated = (at: number): Unit[] => replicas.filter((_, i) => seats[i]?.node === at);
      const sizes = (list: readonly Unit[], kind: Volume['kind']) =>
        list.reduce((sum, each) => sum + each.volumes.reduce((bytes, one) => (one.kind === kind ? bytes + one.bytes : bytes), 0), 0);
      const extra = (at: number, which: number): number => slack[at * 4 + which] ?? 0;
      const groupOf = (i: number): CardGroup | undefined => {
        const wanted = groups.filter((group) => isWanted(group, replicas[i]?.gpus?.wants ?? []));
        return wanted[(seats[i]?.group ?? 0) % Math.max(wanted.length, 1)];
      };
      const list = claims.map((isClaim, at): NodeFacts => {
        const here = seated(at);
        const cards = (group: CardGroup): number =>
          replicas.reduce((sum, each, i) => (seats[i]?.node === at && groupOf(i) === group ? sum + (each.gpus?.count ?? 0) : sum), 0);
        const poolsOf = (vendor: string): CardPool[] => {
          const counted = groupsOf(vendor).map((group) => ({ ...group, size: 8, free: cards(group) }));
          const mayBeFree = groupsOf(vendor).filter((group) => cards(group) > 0);
          const total = counted.reduce((sum, { free }) => sum + free, 0);
          if (total === 0) return [];
          const resource = `${vendor}.com/gpu`;
          return isClaim || mayBeFree.length > 1
            ? [{ resource, assignedBy: 'claim', groups: counted }]
            : [{ resource, assignedBy: 'plugin', size: 8, free: total + Math.max(extra(at, 3), 0), mayBeFree }];
        };
        return {
          name: `node-${at}`,
          uid: `uid-${at}`,
          heldBack: [],
          cpuMillis: here.reduce((sum, each) => sum + each.cpuMillis, 0) + 500 * extra(at, 0),
          memoryBytes: here.reduce((sum, each) => sum + each.memoryBytes, 0) + sizes(here, 'ram') + Gi * extra(at, 1),
          ephemeralBytes: sizes(here, 'ephemeral') + Gi * extra(at, 2),
          podSlots: isClaim ? here.length : undefined,
          cards: vendors.flatMap(poolsOf),
          storageClasses: classNames,
        };
      });
      const local = new Map(list.map(({ name }, at) => [name, sizes(seated(at), 'persistent') + Gi * extra(at, 3)]));
      return {
        nodes: list,
        classes: [
          { name: 'disk', performance: 'beta1', freeBytes: 1000 * Gi, isDefault: true },
          { name: 'flash', performance: 'beta2', freeBytes: local },
          { name: 'local', performance: 'beta3', freeBytes: local, sharesSpaceWith: ['flash'] },
        ],
        ...{ cluster: { freePorts: 100, freeIps: 100 }, headroom: {}, levels: { cpu: 100, memory: 100, storage: 100 } },
      };
    });
};

export function stockOf(world: World): Stock {
  const stock = new Stock(world.headroom);
  stock.setCluster(world.cluster);
  for (const each of world.nodes) stock.setNode(each);
  for (const each of world.classes) stock.setClass(each);
  return stock;
}

export function optionsOf({ levels }: World): PlacingOptions {
  const of = (hundredths: number) => parseCommitLevel((hundredths / 100).toFixed(2), 'level');
  return { levels: { cpu: of(levels.cpu), memory: of(levels.memory), storage: of(levels.storage) } };
}
