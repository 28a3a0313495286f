import { type Amount, amount } from '../../model/amount.ts';
import type { StorageClassFacts, StorageReading } from '../../model/storage-inventory.ts';
import type { BytesBeside } from '../local/local-view.ts';
import { performanceOfDevices } from '../querier/performance-class.ts';
import { noFigures, storageReason } from '../querier/storage-reasons.ts';
import type { PlaceOf } from './disk-place.ts';
import { type DiskRoom, type LonghornDisk, type LonghornNodeFacts, roomOn } from './longhorn-disks.ts';
import { type SchedulingSettings, schedulingSettings } from './longhorn-settings.ts';
import { largestReplicatedVolume, largestSharedVolume, replicatedCapacity } from './replicated-capacity.ts';

export interface LonghornView {
  readonly nodes: readonly LonghornNodeFacts[];
  readonly placeOf: PlaceOf;
  /** What node-local classes were promised. */
  readonly localBytes: BytesBeside;
  /** name -> value */
  readonly settings: ReadonlyMap<string, string>;
  /** Of the class. Longhorn counts volumes as scheduled as soon as they exist; these are only told apart from others here. */
  readonly promisedBytes: number;
  /** Where the volumes are of which they are. */
  readonly places: readonly string[];
  /** Of claims for which Longhorn has no volume yet. */
  readonly waitingBytes: number;
  /** Of replicas that Longhorn has yet to place, of all classes. */
  readonly missingBytes: number;
  /** Names of those that could not be read: they may have disks of any class. */
  readonly unread: ReadonlySet<string>;
  readonly observedAt: number;
}

/** Where two replicas of one volume may not be together; undefined where they may be together anywhere. */
type Apart = 'zone' | 'node' | 'disk' | undefined;

/** One zone, one node or one disk, whichever may not hold two. */
interface Domain {
  readonly rooms: readonly DiskRoom[];
}

/** What one class can hold. Pure: all that it knows is in the view. */
export function readLonghornClass(storageClass: StorageClassFacts, view: LonghornView): StorageReading {
  const { name, parameters } = storageClass;
  const settings = schedulingSettings(view.settings, parameters['dataEngine'] === 'v2' ? 'v2' : 'v1');
  const replicas = replicasOf(parameters, settings);
  const selected = selectedDisks(storageClass, view.nodes);
  const open = selected.filter(({ disks }) => disks.length > 0);
  const all = selected.flatMap((each) => each.selected);
  // By what volumes come to lie on, now or later; while that is nothing, by where they are.
  const kinds = all.some(({ isShut }) => !isShut) ? all.filter(({ isShut }) => !isShut) : all;
  const whyNone = [
    view.unread.size > 0 ? 'CapacityUnknown' : 'PoolMissing',
    `no disk of Longhorn is ready, schedulable and has the tags that class ${name} selects`,
    'add or repair disks in Longhorn, or correct the selectors of the class',
  ] as const;
  if (selected.length === 0) return noFigures(...whyNone);
  const apart = apartBy(parameters, settings);
  const neighbours = neighboursOf(open, view);
  const figuresBeside = (promisedOn?: (node: string) => number) => {
    const othersOn: OthersOn = ({ name: node }, disk) => {
      const { localBytes = 0, ephemeral } = neighbours.get(disk) ?? {};
      if (ephemeral === undefined || promisedOn === undefined) return localBytes;
      return Math.max(localBytes, promisedOn(node) - ephemeral.replicaBytes);
    };
    const domains = domainsOf(open, apart, (node, disk) => roomOn(disk, settings, othersOn(node, disk)));
    const largestRooms = domains.map(({ rooms }) => Math.max(...rooms.map(free)));
    return {
      amount: amountOf(domains, replicas, apart, view),
      largestVolumeBytes: (apart === undefined ? largestSharedVolume : largestReplicatedVolume)(largestRooms, replicas),
    };
  };
  // Those that take no replicas for a while, too: they may again before what is promised of the class is made. What a person has closed does not by itself.
  const inEphemeral = selected.filter(({ name: node, selected: disks }) =>
    disks.some((disk) => !disk.isShut && view.placeOf(node, disk).inEphemeral),
  );
  const ephemeralNodes = new Set([...inEphemeral.map(({ name: node }) => node), ...view.unread]);
  return {
    known: true,
    ...figuresBeside(),
    counted: new Map(view.places.map((place) => [place, ''])),
    replicas,
    replicasPerNode: apart === 'zone' || apart === 'node' || replicas === 1 ? undefined : replicas,
    space: `longhorn/${parameters['dataEngine'] === 'v2' ? 'v2' : 'v1'}`,
    ephemeralNodes: [...ephemeralNodes].toSorted(),
    beside: ephemeralNodes.size === 0 ? undefined : figuresBeside,
    refusal: open.length === 0 ? storageReason(...whyNone) : undefined,
    observedAt: view.observedAt,
    performance: performanceOfDevices(kinds.map(deviceKindOf)),
  };
}

/** What others were promised of a disk. */
type OthersOn = (node: LonghornNodeFacts, disk: LonghornDisk) => number;

/** Who else is where a disk is. */
interface Neighbours {
  readonly localBytes: number;
  /** Of a disk that may be in its node's ephemeral storage: what replicas have there, which Longhorn counts itself. */
  readonly ephemeral: { readonly replicaBytes: number } | undefined;
}

/** Once for all figures: `beside` is asked whenever pods come and go. */
function neighboursOf(nodes: readonly LonghornNodeFacts[], { placeOf, localBytes }: LonghornView): ReadonlyMap<LonghornDisk, Neighbours> {
  const neighbours = new Map<LonghornDisk, Neighbours>();
  for (const { name, disks, allDisks } of nodes) {
    const replicaBytes = allDisks.reduce((sum, disk) => sum + (placeOf(name, disk).inEphemeral ? disk.scheduledBytes : 0), 0);
    for (const disk of disks) {
      const place = placeOf(name, disk);
      neighbours.set(disk, { localBytes: localBytes(name, place), ephemeral: place.inEphemeral ? { replicaBytes } : undefined });
    }
  }
  return neighbours;
}

function amountOf(domains: readonly Domain[], replicas: number, apart: Apart, view: LonghornView): Amount {
  const { promisedBytes, waitingBytes, missingBytes } = view;
  const capacityFor = (room: (of: DiskRoom) => number): number => {
    const rooms = domains.map(({ rooms: disks }) => disks.reduce((sum, disk) => sum + room(disk), 0));
    return apart === undefined ? Math.floor(rooms.reduce((sum, each) => sum + each, 0) / replicas) : replicatedCapacity(rooms, replicas);
  };
  const left = capacityFor(free) - waitingBytes - Math.ceil(missingBytes / replicas);
  const excess = Math.floor(domains.flatMap(({ rooms }) => rooms).reduce((sum, { excessBytes }) => sum + excessBytes, 0) / replicas);
  // Replicas on disks that are closed by now still belong to the class, so what it has and what it may still get can exceed what is open.
  const allocatable = Math.max(promisedBytes + (left > 0 ? left : Math.min(left, -excess)), 0);
  const capacity = Math.max(
    capacityFor(({ limitBytes }) => limitBytes),
    allocatable,
  );
  return amount(capacity, allocatable, promisedBytes);
}

const free = ({ freeBytes }: DiskRoom): number => freeBytes;

function replicasOf(parameters: Readonly<Record<string, string>>, { defaultReplicas }: SchedulingSettings): number {
  const given = Number(parameters['numberOfReplicas'] ?? '');
  return Math.min(Math.max(Number.isInteger(given) && given > 0 ? given : Math.floor(defaultReplicas), 1), mostReplicas);
}

/** Longhorn makes no volume that has more. */
const mostReplicas = 20;

/** What may not share a zone may not share a node in it, whatever is said of nodes. */
function apartBy(parameters: Readonly<Record<string, string>>, settings: SchedulingSettings): Apart {
  const mayShare = (parameter: string, setting: boolean): boolean => {
    const given = parameters[parameter] || 'ignored';
    return given === 'ignored' ? setting : given === 'enabled';
  };
  if (!mayShare('replicaZoneSoftAntiAffinity', settings.mayShareZone)) return 'zone';
  if (!mayShare('replicaSoftAntiAffinity', settings.mayShareNode)) return 'node';
  return mayShare('replicaDiskSoftAntiAffinity', settings.mayShareDisk) ? undefined : 'disk';
}

interface SelectedNode extends LonghornNodeFacts {
  /** Those of `allDisks` that the class selects; `disks` has the open ones among them. */
  readonly selected: readonly LonghornDisk[];
}

function selectedDisks({ parameters }: StorageClassFacts, nodes: readonly LonghornNodeFacts[]): SelectedNode[] {
  const engine = parameters['dataEngine'] === 'v2' ? 'v2' : 'v1';
  const nodeTags = tagsOf(parameters['nodeSelector']);
  const diskTags = tagsOf(parameters['diskSelector']);
  return nodes.flatMap((node) => {
    if (!nodeTags.every((tag) => node.tags.includes(tag))) return [];
    const selected = node.allDisks.filter((disk) => disk.engine === engine && diskTags.every((tag) => disk.tags.includes(tag)));
    return selected.length === 0 ? [] : [{ ...node, selected, disks: node.disks.filter((disk) => selected.includes(disk)) }];
  });
}

/** `ssd,fast` */
const tagsOf = (selector: string | undefined): string[] =>
  (selector ?? '').split(',').flatMap((tag) => (tag.trim() === '' ? [] : [tag.trim()]));

function domainsOf(
  nodes: readonly LonghornNodeFacts[],
  apart: Apart,
  roomOf: (node: LonghornNodeFacts, disk: LonghornDisk) => DiskRoom,
): Domain[] {
  const all = nodes.flatMap((node) => node.disks.map((disk) => ({ node, disk })));
  // Nodes without a zone are one zone for Longhorn.
  const keyOf = ({ node, disk }: (typeof all)[number]) => (apart === 'zone' ? node.zone : apart === 'node' ? node.name : disk);
  return [...Map.groupBy(all, keyOf).values()].map((group) => ({ rooms: group.map(({ node, disk }) => roomOf(node, disk)) }));
}

/** The first tag that names a kind of device, as people tag them. */
const deviceKindOf = ({ tags }: LonghornDisk): string => tags.find((tag) => ['hdd', 'ssd', 'nvme'].includes(tag.toLowerCase())) ?? '';
