import { unequalTexts } from '@quartermaster/api/states';
import { type OfferKind, type Service, serviceOf } from './card-offer.ts';
import { type CommitLevels, requestFor } from './commit-level.ts';
import { bytesOf, type GpuNeed, isPersistent, type Unit, wantsText } from './request.ts';
import type { ClassFacts, Reason } from './stock-facts.ts';
import { copiesOf, isLocal, isWideInEphemeral, type Space, type StorageClasses, type WideVolume } from './storage-classes.ts';

/** What each replica of some units takes of its node, once the classes of its volumes are chosen. Units that are alike are one need. */
export interface Need {
  /** Equal for needs that take the same. */
  readonly key: string;
  /** By id. */
  readonly units: readonly ChosenUnit[];
  /** Of all its units. */
  readonly count: number;
  readonly cpu: number;
  /** With RAM volumes. */
  readonly memory: number;
  readonly ephemeral: number;
  /** One slot; none where it is only to be compared by what else it takes. */
  readonly pods: 0 | 1;
  readonly gpus: GpuNeed | undefined;
  /** Undefined where no cards are needed. */
  readonly service: (kind: OfferKind) => Service | undefined;
  readonly serves: (kind: OfferKind) => boolean;
  /** Names of storage classes that its node must be able to use. */
  readonly classes: readonly string[];
  readonly localVolumes: readonly LocalVolume[];
}

export interface ChosenUnit {
  readonly unit: Unit;
  /** By its persistent volumes, in their order. */
  readonly classes: readonly ClassFacts[];
}

export interface LocalVolume {
  readonly facts: ClassFacts;
  readonly bytes: number;
}

/** A node-local class whose space the request may draw on: it has volumes of it, or others were promised some. */
export interface LocalClass {
  readonly facts: ClassFacts;
  readonly space: Space;
}

export interface Needs {
  /** The hardest to place first, whatever the order of the units. */
  readonly needs: readonly Need[];
  readonly localClasses: readonly LocalClass[];
  /** Of all units, wherever they go: which nodes keep their copies is not known. */
  readonly wideVolumes: readonly WideVolume[];
}

export function needsOf(units: readonly ChosenUnit[], storage: StorageClasses, levels: CommitLevels): Needs {
  return { needs: alikeNeeds(units, levels), localClasses: localClassesOf(units, storage), wideVolumes: wideVolumesOf(units) };
}

function alikeNeeds(units: readonly ChosenUnit[], levels: CommitLevels): readonly Need[] {
  const [first] = units;
  if (first === undefined) return [];
  if (units.length === 1) return [needOf('', units, first, levels)];
  return [...Map.groupBy(units, keyOf)]
    .map(([key, list]) => {
      const byId = list.toSorted((a, b) => a.unit.id - b.unit.id);
      return needOf(key, byId, byId[0] ?? first, levels);
    })
    .sort(harderFirst);
}

const noLocalClasses: readonly LocalClass[] = [];

function localClassesOf(units: readonly ChosenUnit[], storage: StorageClasses): readonly LocalClass[] {
  const held = storage.heldLocal;
  if (held.length === 0 && units.every(({ classes }) => !classes.some(isLocal))) return noLocalClasses;
  const local = new Set<ClassFacts>(units.flatMap(({ classes }) => classes.filter(isLocal)));
  const takesEphemeral = units.some(({ unit }) => bytesOf(unit, 'ephemeral') > 0);
  const isDrawnOn = ({ classes }: Space): boolean =>
    classes.some((facts) => local.has(facts) || (takesEphemeral && (facts.ephemeralNodes?.size ?? 0) > 0));
  const concerned = new Set([...local, ...held.filter((facts) => isDrawnOn(storage.spaceOf(facts)))]);
  return [...concerned].sort((a, b) => (a.name < b.name ? -1 : 1)).map((facts) => ({ facts, space: storage.spaceOf(facts) }));
}

const noWideVolumes: readonly WideVolume[] = [];

function wideVolumesOf(units: readonly ChosenUnit[]): readonly WideVolume[] {
  if (units.every(({ classes }) => !classes.some(isWideInEphemeral))) return noWideVolumes;
  const found = [...volumesOf(units)].filter(({ facts }) => isWideInEphemeral(facts));
  return found.map(({ facts, bytes, count }) => ({ facts, bytes: bytes * count }));
}

interface FullClass {
  readonly facts: ClassFacts;
  /** In bytes of volumes of the class, or of the ephemeral storage of a node where they may come to lie. */
  readonly of: 'class' | 'ephemeral-storage';
  /** With what other volumes of the request take there. */
  readonly needs: number;
  readonly has: number;
}

/** The cluster-wide classes that have too little for all volumes together, or would leave too little of what others were promised in the same space. */
export function fullSpaces(units: readonly ChosenUnit[], storage: StorageClasses): readonly FullClass[] {
  if (units.every(({ classes }) => classes.length === 0)) return noClasses;
  const taken = new Map<Space, { raw: number; used: Set<ClassFacts> }>();
  for (const { facts, bytes, count } of volumesOf(units)) {
    if (isLocal(facts)) continue;
    const space = storage.spaceOf(facts);
    const sum = taken.get(space) ?? { raw: 0, used: new Set() };
    sum.raw += bytes * copiesOf(facts) * count;
    taken.set(space, { raw: sum.raw, used: sum.used.add(facts) });
  }
  const displacing = storage.displacing(wideVolumesOf(units));
  return [...taken].flatMap(([space, { raw, used }]) => {
    const held = space.classes.filter((facts) => storage.isHeld(facts)).map((facts) => storage.spaceRoom(facts) ?? raw);
    return [...used].flatMap((facts): FullClass[] => {
      const left = Math.min(storage.spaceRoom(facts) ?? -1, ...held);
      const copies = copiesOf(facts);
      if (left < raw) return [{ facts, of: 'class', needs: Math.ceil(raw / copies), has: Math.max(Math.floor(left / copies), 0) }];
      const displaced = displacing.get(facts);
      return displaced === undefined ? [] : [{ facts, of: 'ephemeral-storage', ...displaced }];
    });
  });
}

const noClasses: readonly FullClass[] = [];

export function fullReason({ facts: { name }, of, needs, has }: FullClass): Reason {
  const [free, needed] = unequalTexts('storage/', has, needs);
  const message =
    of === 'class'
      ? `storage class ${name} has ${free} free; all volumes together need ${needed}`
      : `volumes of storage class ${name} may come to lie on a node with ${free} of ephemeral storage free; all volumes together may take ${needed} there`;
  return { code: 'TooLittleStorage', message };
}

function* volumesOf(units: readonly ChosenUnit[]): Iterable<{ facts: ClassFacts; bytes: number; count: number }> {
  for (const { unit, classes } of units) {
    for (const [at, { bytes }] of unit.volumes.filter(isPersistent).entries()) {
      const facts = classes[at];
      if (facts !== undefined) yield { facts, bytes, count: unit.count };
    }
  }
}

function keyOf({ unit, classes }: ChosenUnit): string {
  const volumes = unit.volumes.filter(isPersistent).map(({ bytes }, at) => `${bytes} ${classes[at]?.name}`);
  return JSON.stringify([
    unit.cpuMillis,
    unit.memoryBytes,
    bytesOf(unit, 'ram'),
    bytesOf(unit, 'ephemeral'),
    volumes.sort(),
    unit.gpus?.count ?? 0,
    wantsText(unit.gpus?.wants ?? noWants),
    unit.gpus?.resource ?? '',
  ]);
}

const noWants: GpuNeed['wants'] = [];
const noVolumes: readonly LocalVolume[] = [];
const noNames: readonly string[] = [];

function needOf(key: string, units: readonly ChosenUnit[], { unit, classes }: ChosenUnit, levels: CommitLevels): Need {
  const gpus = unit.gpus !== undefined && unit.gpus.count > 0 ? unit.gpus : undefined;
  // By the key of the kind. One want is looked at sooner than an answer is found.
  const known = gpus === undefined || gpus.wants.length === 1 ? undefined : new Map<string, Service>();
  const service = (kind: OfferKind): Service | undefined => {
    if (gpus === undefined) return undefined;
    if (gpus.resource !== undefined && gpus.resource !== kind.resource) return 'other-cards';
    if (known === undefined) return serviceOf(kind, gpus);
    let answer = known.get(kind.key);
    if (answer === undefined) known.set(kind.key, (answer = serviceOf(kind, gpus)));
    return answer;
  };
  let count = 0;
  for (const each of units) count += each.unit.count;
  return {
    key,
    units,
    count,
    cpu: requestFor(unit.cpuMillis, levels.cpu),
    memory: requestFor(unit.memoryBytes, levels.memory) + bytesOf(unit, 'ram'),
    ephemeral: requestFor(bytesOf(unit, 'ephemeral'), levels.storage),
    pods: 1,
    gpus,
    service,
    serves: (kind) => service(kind) === 'served',
    classes: classes.length === 0 ? noNames : [...new Set(classes.map(({ name }) => name))],
    localVolumes: classes.some(isLocal) ? [...volumesOf([{ unit, classes }])].filter(({ facts }) => isLocal(facts)) : noVolumes,
  };
}

function harderFirst(a: Need, b: Need): number {
  return (
    (b.gpus?.count ?? 0) - (a.gpus?.count ?? 0) ||
    b.localVolumes.length - a.localVolumes.length ||
    b.memory - a.memory ||
    b.cpu - a.cpu ||
    (a.key < b.key ? -1 : 1)
  );
}
