import { type Amount, amount } from '../../model/amount.ts';
import type { StorageClassFacts, StorageReading } from '../../model/storage-inventory.ts';
import { performanceOfDevices } from '../querier/performance-class.ts';
import { noFigures } from '../querier/storage-reasons.ts';
import { type DiskRoom, type LonghornDisk, type LonghornNodeFacts, roomOn } from './longhorn-disks.ts';
import { type SchedulingSettings, schedulingSettings } from './longhorn-settings.ts';
import { largestReplicatedVolume, replicatedCapacity } from './replicated-capacity.ts';

export interface LonghornView {
  readonly nodes: readonly LonghornNodeFacts[];
  /** Whether a disk of a node may lie in the node's ephemeral storage. */
  readonly sharesEphemeral: (node: string, disk: LonghornDisk) => boolean;
  /** name -> value */
  readonly settings: ReadonlyMap<string, string>;
  /** Of the class. Longhorn counts volumes as scheduled as soon as they exist; these are only told apart from others here. */
  readonly promisedBytes: number;
  /** Of claims for which Longhorn has no volume yet. */
  readonly waitingBytes: number;
  /** Of replicas that Longhorn has yet to place again, of all classes. */
  readonly missingBytes: number;
  readonly observedAt: number;
}

/** What may not hold two replicas of one volume: a node, or a whole zone. */
interface Domain {
  readonly rooms: readonly DiskRoom[];
}

/** What one class can hold. Pure: all that it knows is in the view. */
export function readLonghornClass(storageClass: StorageClassFacts, view: LonghornView): StorageReading {
  const { name, parameters } = storageClass;
  const settings = schedulingSettings(view.settings, parameters['dataEngine'] === 'v2' ? 'v2' : 'v1');
  const replicas = replicasOf(parameters, settings);
  const eligible = eligibleDisks(storageClass, view.nodes);
  if (eligible.length === 0) {
    const what = `no disk of Longhorn is ready, schedulable and has the tags that class ${name} selects`;
    return noFigures('PoolMissing', what, 'add or repair disks in Longhorn, or correct the selectors of the class');
  }
  const sharesNodes = mayShareNode(parameters, settings);
  const figuresBeside = (othersOn: OthersOn) => {
    const domains = domainsOf(eligible, settings, othersOn);
    const roomsFor = ({ rooms }: Domain): number[] => (sharesNodes ? rooms.map(free) : [Math.max(...rooms.map(free))]);
    return {
      amount: amountOf(domains, replicas, sharesNodes, view),
      largestVolumeBytes: largestReplicatedVolume(domains.flatMap(roomsFor), replicas),
    };
  };
  const inEphemeral = eligible.filter(({ name: node, disks }) => disks.some((disk) => view.sharesEphemeral(node, disk)));
  return {
    known: true,
    ...figuresBeside(() => 0),
    replicas,
    space: `longhorn/${parameters['dataEngine'] === 'v2' ? 'v2' : 'v1'}`,
    ephemeralNodes: inEphemeral.map(({ name: node }) => node).toSorted(),
    beside: inEphemeral.length === 0 ? undefined : (promisedOn) => figuresBeside(othersInEphemeral(view, promisedOn)),
    observedAt: view.observedAt,
    performance: performanceOfDevices(eligible.flatMap(({ disks }) => disks).map(deviceKindOf)),
  };
}

/** What others were promised of a disk. */
type OthersOn = (node: LonghornNodeFacts, disk: LonghornDisk) => number;

/** All that is promised in the ephemeral storage of a node but the replicas there, which Longhorn counts itself. */
function othersInEphemeral({ sharesEphemeral }: LonghornView, promisedOn: (node: string) => number): OthersOn {
  return ({ name, allDisks }, disk) => {
    if (!sharesEphemeral(name, disk)) return 0;
    const own = allDisks.reduce((sum, each) => sum + (sharesEphemeral(name, each) ? each.scheduledBytes : 0), 0);
    return Math.max(promisedOn(name) - own, 0);
  };
}

function amountOf(domains: readonly Domain[], replicas: number, mayShare: boolean, view: LonghornView): Amount {
  const { promisedBytes, waitingBytes, missingBytes } = view;
  const capacityFor = (room: (of: DiskRoom) => number): number => {
    const rooms = domains.map(({ rooms: disks }) => disks.reduce((sum, disk) => sum + room(disk), 0));
    return mayShare ? Math.floor(rooms.reduce((sum, each) => sum + each, 0) / replicas) : replicatedCapacity(rooms, replicas);
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
  return Math.max(Number.isInteger(given) && given > 0 ? given : Math.floor(defaultReplicas), 1);
}

function mayShareNode(parameters: Readonly<Record<string, string>>, settings: SchedulingSettings): boolean {
  const given = parameters['replicaSoftAntiAffinity'] ?? 'ignored';
  return given === 'ignored' ? settings.mayShareNode : given === 'enabled';
}

function eligibleDisks({ parameters }: StorageClassFacts, nodes: readonly LonghornNodeFacts[]): LonghornNodeFacts[] {
  const engine = parameters['dataEngine'] === 'v2' ? 'v2' : 'v1';
  const nodeTags = tagsOf(parameters['nodeSelector']);
  const diskTags = tagsOf(parameters['diskSelector']);
  return nodes.flatMap((node) => {
    if (!nodeTags.every((tag) => node.tags.includes(tag))) return [];
    const disks = node.disks.filter((disk) => disk.engine === engine && diskTags.every((tag) => disk.tags.includes(tag)));
    return disks.length === 0 ? [] : [{ ...node, disks }];
  });
}

/** `ssd,fast` */
const tagsOf = (selector: string | undefined): string[] =>
  (selector ?? '').split(',').flatMap((tag) => (tag.trim() === '' ? [] : [tag.trim()]));

function domainsOf(nodes: readonly LonghornNodeFacts[], settings: SchedulingSettings, othersOn: OthersOn): Domain[] {
  const keyOf = ({ name, zone }: LonghornNodeFacts): string => (settings.mayShareZone || zone === '' ? `node/${name}` : `zone/${zone}`);
  return [...Map.groupBy(nodes, keyOf).values()].map((group) => ({
    rooms: group.flatMap((node) => node.disks.map((disk) => roomOn(disk, settings, othersOn(node, disk)))),
  }));
}

/** The first tag that names a kind of device, as people tag them. */
const deviceKindOf = ({ tags }: LonghornDisk): string => tags.find((tag) => ['hdd', 'ssd', 'nvme'].includes(tag.toLowerCase())) ?? '';
