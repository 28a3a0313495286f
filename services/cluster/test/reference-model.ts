/*
 * The rules of placement once more, as plainly as they can be said: every assignment of replicas to nodes and cards is built, and each is judged by adding up
 * everything from the facts. Shares no code with the placement.
 */
import type { Plan } from '../src/placement/plan.ts';
import type { GpuWant, PersistentVolume, Request, Unit } from '../src/placement/request.ts';
import type { CardGroup, ClassFacts, ClusterFacts, Headroom, NodeFacts } from '../src/placement/stock-facts.ts';

export interface World {
  readonly nodes: readonly NodeFacts[];
  readonly classes: readonly ClassFacts[];
  readonly cluster: ClusterFacts;
  readonly headroom: Headroom;
  /** Times 100. */
  readonly levels: { readonly cpu: number; readonly memory: number; readonly storage: number };
}

export interface Assigned {
  readonly unit: Unit;
  readonly node: string;
  readonly resource?: string | undefined;
  /** vendor/model/interface/memory; undefined where the plugin picks. */
  readonly group?: string | undefined;
}

/** unit id/volume -> class */
export type ClassOf = ReadonlyMap<string, string>;

const share = (amount: number, level: number): number => Math.ceil((amount * 100) / level);
const sum = <T>(values: readonly T[], of: (value: T) => number): number => values.reduce((total, value) => total + of(value), 0);
const persistent = (unit: Unit): PersistentVolume[] => unit.volumes.filter((volume) => volume.kind === 'persistent');
const bytes = (unit: Unit, kind: string): number => sum(unit.volumes, (volume) => (volume.kind === kind ? volume.bytes : 0));
const nameOf = (group: CardGroup): string =>
  `${group.vendor}/${group.model}/${group.interface}/${Math.round(group.memoryBytes / 2 ** 30)}Gi`.toLowerCase();

export function isWanted(group: CardGroup, wants: readonly GpuWant[]): boolean {
  return wants.some(
    (want) =>
      want.vendor === group.vendor &&
      (want.model === '*' || want.model === group.model) &&
      (want.memoryBytes === undefined || want.memoryBytes === group.memoryBytes) &&
      (want.interface === undefined || group.interface.toLowerCase().startsWith(want.interface)),
  );
}

/** Classes that draw on the same bytes as this one, itself among them. */
function spaceOf(world: World, name: string): ClassFacts[] {
  const isLocal = (facts: ClassFacts): boolean => typeof facts.freeBytes === 'object';
  const names = new Set([name]);
  for (let size = 0; size < names.size; ) {
    size = names.size;
    for (const facts of world.classes) {
      const isSame = isLocal(facts) === world.classes.some((each) => each.name === name && isLocal(each));
      const others = facts.sharesSpaceWith ?? [];
      if (isSame && (names.has(facts.name) || others.some((other) => names.has(other)))) {
        names.add(facts.name);
        for (const other of others) {
          const target = world.classes.find((each) => each.name === other);
          if (target !== undefined && isLocal(target) === isLocal(facts)) names.add(other);
        }
      }
    }
  }
  return world.classes.filter((facts) => names.has(facts.name));
}

/** What is wrong with everything of this on one node. Empty when it fits. */
function problemsOnNode(world: World, name: string, units: readonly Unit[], assigned: readonly Assigned[], classOf: ClassOf): string[] {
  const here = assigned.filter((each) => each.node === name);
  if (here.length === 0) return [];
  const node = world.nodes.find((each) => each.name === name);
  if (node === undefined) return [`no node ${name}`];
  if (node.heldBack.length > 0) return [`${name} takes nothing new`];
  const { headroom, levels } = world;
  const problems: string[] = [];
  const within = (what: string, taken: number, free: number): void => {
    if (taken > 0 && taken > free) problems.push(`${name} has ${free} of ${what}, not ${taken}`);
  };
  within(
    'cpu',
    sum(here, ({ unit }) => share(unit.cpuMillis, levels.cpu)),
    node.cpuMillis - (headroom.cpuMillis ?? 0),
  );
  const memory = sum(here, ({ unit }) => share(unit.memoryBytes, levels.memory) + bytes(unit, 'ram'));
  within('pod slots', here.length, node.podSlots ?? Number.POSITIVE_INFINITY);
  within('memory', memory, node.memoryBytes - (headroom.memoryBytes ?? 0));

  const volumes = here.flatMap(({ unit }) =>
    persistent(unit).map((volume) => ({ bytes: volume.bytes, class: classOf.get(`${unit.id}/${volume.name}`) ?? '' })),
  );
  const classes = world.classes.filter((facts) => volumes.some((volume) => volume.class === facts.name));
  const pods = sum(here, ({ unit }) => share(bytes(unit, 'ephemeral'), levels.storage));
  const inEphemeral = (facts: ClassFacts): boolean => typeof facts.freeBytes === 'object' && facts.ephemeralNodes?.has(name) === true;
  const shared = sum(volumes, (volume) => (classes.some((facts) => facts.name === volume.class && inEphemeral(facts)) ? volume.bytes : 0));
  // Any node may get a copy of a volume whose class has space in the ephemeral storage of several, wherever its pod runs.
  const wide = world.classes.filter((facts) => typeof facts.freeBytes !== 'object' && facts.ephemeralNodes?.has(name) === true);
  const copiesHere = (key: string): number => sum(wide, (facts) => (facts.name === classOf.get(key) ? (facts.replicasPerNode ?? 1) : 0));
  const beside = sum(units, (unit) => unit.count * sum(persistent(unit), (each) => each.bytes * copiesHere(`${unit.id}/${each.name}`)));
  within('ephemeral', pods + shared === 0 ? 0 : pods + shared + beside, node.ephemeralBytes - (headroom.ephemeralBytes ?? 0));
  for (const facts of classes) {
    if (!node.storageClasses.includes(facts.name)) problems.push(`${name} cannot use ${facts.name}`);
    if (typeof facts.freeBytes !== 'object') continue;
    const space = spaceOf(world, facts.name);
    const copies = (name_: string): number => space.find((each) => each.name === name_)?.replicas ?? 1;
    const raw = sum(volumes, (volume) => (space.some((each) => each.name === volume.class) ? volume.bytes * copies(volume.class) : 0));
    const withPods = pods * Math.max(0, ...space.filter(inEphemeral).map((each) => each.replicas ?? 1));
    const free = facts.freeBytes.get(name);
    if (free === undefined || raw + withPods > (free - (headroom.persistentBytes ?? 0)) * (facts.replicas ?? 1))
      problems.push(`${name} has no room in ${facts.name}`);
  }
  return [...problems, ...cardProblems(node, here, headroom.cards ?? 0)];
}

function cardProblems(node: NodeFacts, here: readonly Assigned[], headroom: number): string[] {
  const problems: string[] = [];
  for (const each of here) {
    const need = each.unit.gpus;
    if ((need?.count ?? 0) === 0 || need === undefined) continue;
    const pool = node.cards.find(({ resource }) => resource === each.resource);
    if (pool === undefined) problems.push(`${node.name} has no ${each.resource}`);
    else if (pool.assignedBy === 'claim') {
      const group = pool.groups.find((candidate) => nameOf(candidate) === each.group);
      if (group === undefined || !isWanted(group, need.wants)) problems.push(`${each.group} is not wanted`);
    } else if (!pool.mayBeFree.every((group) => isWanted(group, need.wants)) || pool.mayBeFree.length === 0) {
      problems.push('the plugin may pick another card');
    } else if (need.count > 1 && pool.mayBeFree.length > 1) problems.push('the plugin may mix groups');
  }
  const taken = (resource: string, group?: string): number =>
    sum(here, (each) => (each.resource === resource && (group === undefined || each.group === group) ? (each.unit.gpus?.count ?? 0) : 0));
  for (const pool of node.cards) {
    if (pool.assignedBy === 'plugin') {
      if (taken(pool.resource) > Math.max(pool.free - headroom, 0)) problems.push(`too few ${pool.resource}`);
    } else
      for (const group of pool.groups)
        if (taken(pool.resource, nameOf(group)) > Math.max(group.free - headroom, 0)) problems.push(`too few ${nameOf(group)}`);
  }
  return problems;
}

/** What is wrong with the whole beside nodes. */
function problemsOfCluster(world: World, request: Request, classOf: ClassOf): string[] {
  const problems: string[] = [];
  const ports = sum(request.units, (unit) => unit.randomPorts ?? 0);
  if (ports > 0 && ports > world.cluster.freePorts - (world.headroom.ports ?? 0)) problems.push('too few ports');
  const ips = new Set(request.units.flatMap((unit) => unit.leasedIps ?? [])).size;
  const free = world.cluster.freeIps;
  if (ips > 0 && (free === 'unknown' || ips > free - (world.headroom.ips ?? 0))) problems.push('too few addresses');
  const volumes = request.units.flatMap((unit) =>
    persistent(unit).map((volume) => ({
      wanted: volume.class,
      bytes: volume.bytes,
      count: unit.count,
      class: classOf.get(`${unit.id}/${volume.name}`) ?? '',
    })),
  );
  for (const volume of volumes) {
    const facts = world.classes.find(({ name }) => name === volume.class);
    if (facts === undefined || !candidatesFor(world, volume.wanted).includes(facts.name))
      problems.push(`${volume.class} is not ${volume.wanted}`);
    else if (facts.refusal !== undefined || facts.freeBytes === undefined) problems.push(`${facts.name} is not offered`);
    else if (volume.bytes > (facts.largestVolumeBytes ?? Number.POSITIVE_INFINITY))
      problems.push(`${facts.name} has no room for one of that size`);
    else if (typeof facts.freeBytes === 'number') {
      const space = spaceOf(world, facts.name);
      const raw = sum(
        volumes,
        (each) =>
          each.bytes *
          each.count *
          (space.find(({ name }) => name === each.class)?.replicas ?? (space.some(({ name }) => name === each.class) ? 1 : 0)),
      );
      if (raw > (facts.freeBytes - (world.headroom.persistentBytes ?? 0)) * (facts.replicas ?? 1)) problems.push(`${facts.name} is full`);
    }
  }
  return problems;
}

function candidatesFor(world: World, wanted: string): string[] {
  const performing = world.classes.filter(({ performance }) => performance === wanted);
  const found =
    performing.length > 0
      ? performing
      : world.classes.filter((each) => each.name === wanted || (wanted === 'default' && each.isDefault === true));
  return found.map(({ name }) => name);
}

/** Whether any assignment of everything holds. */
export function canBePlaced(world: World, request: Request): boolean {
  const volumes = request.units.flatMap((unit) =>
    persistent(unit).map((volume) => ({ key: `${unit.id}/${volume.name}`, wanted: volume.class })),
  );
  const replicas = request.units.flatMap((unit) => Array.from({ length: unit.count }, () => unit));
  const choose = (at: number, classOf: Map<string, string>): boolean => {
    const volume = volumes[at];
    if (volume === undefined) return problemsOfCluster(world, request, classOf).length === 0 && assign(world, replicas, classOf, [], 0);
    return candidatesFor(world, volume.wanted).some((name) => choose(at + 1, new Map(classOf).set(volume.key, name)));
  };
  return choose(0, new Map());
}

/** Replicas of one unit may be swapped, so that the next one need not try the places before the last one's. */
function assign(world: World, replicas: readonly Unit[], classOf: ClassOf, assigned: Assigned[], from: number): boolean {
  const unit = replicas[assigned.length];
  if (unit === undefined) return true;
  const places = placesFor(world, unit);
  for (let at = from; at < places.length; at += 1) {
    const place = places[at];
    // Pods of a unit are made of one template, which names one resource.
    if (place === undefined || assigned.some((each) => each.unit === unit && each.resource !== place.resource)) continue;
    assigned.push({ unit, ...place });
    const next = replicas[assigned.length] === unit ? at : 0;
    const units = [...new Set(replicas)];
    if (problemsOnNode(world, place.node, units, assigned, classOf).length === 0 && assign(world, replicas, classOf, assigned, next))
      return true;
    assigned.pop();
  }
  return false;
}

function placesFor(world: World, unit: Unit): Omit<Assigned, 'unit'>[] {
  return world.nodes.flatMap(({ name, cards }) => {
    if ((unit.gpus?.count ?? 0) === 0) return [{ node: name }];
    return cards.flatMap((pool): Omit<Assigned, 'unit'>[] => {
      const { resource } = pool;
      return pool.assignedBy === 'plugin'
        ? [{ node: name, resource }]
        : pool.groups.map((group) => ({ node: name, resource, group: nameOf(group) }));
    });
  });
}

/** Everything that a plan breaks. */
export function problemsOfPlan(world: World, request: Request, plan: Plan): string[] {
  const problems: string[] = [];
  const classOf = new Map(
    plan.units.flatMap(({ id, volumes }) => volumes.map((volume) => [`${id}/${volume.name}`, volume.class] as const)),
  );
  const assigned = request.units.flatMap((unit) => {
    const planned = plan.units.find(({ id }) => id === unit.id);
    if (planned?.replicas.length !== unit.count) problems.push(`unit ${unit.id} has ${planned?.replicas.length} replicas of ${unit.count}`);
    if (new Set(planned?.replicas.map(({ cards }) => cards?.resource)).size > 1)
      problems.push(`unit ${unit.id} has cards of several resources`);
    return (planned?.replicas ?? []).map(({ node, uid, cards }): Assigned => {
      if (world.nodes.find(({ name }) => name === node)?.uid !== uid) problems.push(`${node} is not ${uid}`);
      if ((cards?.count ?? 0) !== (unit.gpus?.count ?? 0)) problems.push(`unit ${unit.id} gets ${cards?.count ?? 0} cards`);
      return { unit, node, resource: cards?.resource, group: cards?.group };
    });
  });
  const onNodes = world.nodes.flatMap(({ name }) => problemsOnNode(world, name, request.units, assigned, classOf));
  return [...problems, ...problemsOfCluster(world, request, classOf), ...onNodes];
}
