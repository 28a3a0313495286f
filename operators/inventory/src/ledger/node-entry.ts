import type { GpuFacts, HardwareFacts, HardwareStatus } from '@quartermaster/api/node-hardware';
import { jsonEqual } from '@quartermaster/controller';
import { type InventoryConfig, isTolerated } from '../config/inventory-config.ts';
import type { GpuKnowledge } from '../gpu/identify-gpu.ts';
import {
  isUnread,
  type NodeInventory,
  type NodeUtilization,
  type Reason,
  type Undecided,
  type UnreadCards,
} from '../model/node-inventory.ts';
import type { AgentSilence, ObservedDevice, ObservedNode, ObservedPod, ObservedTaint } from '../model/observed.ts';
import type { VolumesInEphemeral } from '../model/storage-inventory.ts';
import { type NodeResources, nodeResources } from './amounts/node-resources.ts';
import { NodeSums } from './amounts/node-sums.ts';
import { type CardPool, cardPools } from './cards/gpu-cards.ts';
import { areOfNode, isNoOther } from './facts-of-node.ts';
import { type GpuHold, healthSignals } from './health-signals.ts';
import { holdCards, holdOfAll, unreadReport } from './held-cards.ts';
import { type NodeClasses, noClasses } from './node-classes.ts';
import { NodeHealth } from './node-health.ts';
import { keepsPodsAway, nodeReasons } from './sellability.ts';
import type { SteadyView } from './steady-view.ts';

/** The object of a node's agent. */
export interface ReportedHardware {
  readonly facts: HardwareFacts;
  readonly status: HardwareStatus | undefined;
}

/**
 * Everything that the ledger was told of one node. It exists as soon as anything names the node: pods and hardware may be known before it, and
 * pods outlive it. Without `observed` there is nothing to show yet.
 */
export class NodeEntry {
  readonly name: string;
  observed: ObservedNode | undefined;
  resources: NodeResources = nodeResources({ capacity: {}, allocatable: {} });
  /** Why nothing can be sold here, apart from what is allocated. */
  reasons: readonly Reason[] = [];
  toleratedTaints: readonly ObservedTaint[] = [];
  /** What others' health checks hold back of its cards. */
  signals: readonly GpuHold[] = [];
  readonly pods = new Set<ObservedPod>();
  sums = new NodeSums();
  /** What is stored under the name of the node. */
  reported: ReportedHardware | undefined;
  /** Undefined while nothing is reported of this very machine; `status` too. */
  facts: HardwareFacts | undefined;
  status: HardwareStatus | undefined;
  /** As last read: while the bus cannot be read, its cards are still there. Undefined before it was first read. */
  gpus: readonly GpuFacts[] | undefined;
  /** Undefined while the agent is heard of, and where nobody expects one. */
  silence: AgentSilence | undefined;
  /** What drivers of dynamic resource allocation published under the name of the node, and what of it is of this very Node. */
  published: readonly ObservedDevice[] = [];
  devices: readonly ObservedDevice[] = [];
  utilization: NodeUtilization | undefined;
  /** device id -> percent */
  gpuUtilization: ReadonlyMap<string, number> = new Map();
  classes: NodeClasses = noClasses;
  /** Bytes of volumes on the filesystem of the node's ephemeral storage; undefined while not all of them could be read. */
  volumeBytes: number | undefined = 0;
  pools: readonly CardPool[] = [];
  /** Why no card at all may be sold. */
  gpusHeld: Reason | undefined;
  health = new NodeHealth();
  /** Undefined when it must be made anew. */
  view: NodeInventory | undefined;
  /** Undefined when it must be made anew. */
  steady: SteadyView | undefined;
  /** What the totals hold of this node. */
  counted: NodeInventory | undefined;
  changedAt = 0;
  #uid: string | undefined;
  #machine = '';
  #unread: UnreadCards = { reports: new Set(), devices: false, names: false };
  /** The pools are those of a report. */
  #isReportCounted = false;

  constructor(name: string) {
    this.name = name;
  }

  /** Nothing is known that would be missed. */
  get isEmpty(): boolean {
    return (
      this.observed === undefined &&
      this.pods.size === 0 &&
      this.reported === undefined &&
      this.published.length === 0 &&
      this.silence === undefined
    );
  }

  /** Cards have to be looked at afterwards. */
  observe(node: ObservedNode, config: InventoryConfig): void {
    this.judge(config, node);
    if (this.#uid !== undefined && this.#uid !== node.uid) this.#beginAnew();
    this.#uid = node.uid;
    this.observed = node;
    this.resources = nodeResources(node);
    this.#believe();
  }

  /** Why nothing can be sold here, and what others hold back, as the configuration has it. */
  judge(config: InventoryConfig, node = this.observed): void {
    if (node === undefined) return;
    const signals = healthSignals(node, config.healthSignals, (taint) => isTolerated(config, taint));
    this.reasons = nodeReasons(node, config, signals);
    this.toleratedTaints = node.taints.filter((taint) => keepsPodsAway(taint) && isTolerated(config, taint));
    this.signals = signals.gpus;
  }

  /** Whether that was new; `hear` and `publish` alike. */
  report(reported: ReportedHardware | undefined): boolean {
    if (jsonEqual(this.reported, reported)) return false;
    this.reported = reported;
    this.#believe();
    return true;
  }

  hear(silence: AgentSilence | undefined): boolean {
    if (jsonEqual(this.silence, silence)) return false;
    this.silence = silence;
    return true;
  }

  publish(devices: readonly ObservedDevice[]): boolean {
    if (jsonEqual(this.published, devices)) return false;
    this.published = devices;
    this.#believe();
    return true;
  }

  /** Only the name is the same. */
  #beginAnew(): void {
    this.health = new NodeHealth();
    this.utilization = undefined;
    this.gpuUtilization = new Map();
  }

  #believe(): void {
    const { reported, observed } = this;
    const isOwn = reported !== undefined && (observed === undefined || areOfNode(reported.facts, observed));
    const machine = isOwn ? `${reported.facts.nodeUid} ${reported.facts.machine.systemUuid}` : '';
    const known = machine === this.#machine ? this.gpus : undefined;
    this.#machine = machine;
    this.facts = isOwn ? reported.facts : undefined;
    this.status = isOwn ? reported.status : undefined;
    this.gpus = isOwn ? (reported.facts.gpus ?? known) : undefined;
    this.devices = this.published.filter(({ nodeUid }) => observed === undefined || isNoOther(nodeUid, observed.uid));
  }

  /** Tells whether that was news. */
  holdVolumes({ bytes, unread }: VolumesInEphemeral): boolean {
    const before = this.volumeBytes;
    this.volumeBytes = isUnread(unread, this.name) ? undefined : (bytes.get(this.name) ?? 0);
    return this.volumeBytes !== before;
  }

  /** What could not be read of any node. Tells whether that was news. */
  miss(unread: UnreadCards): boolean {
    const before = [this.undecided(), this.holds];
    this.#unread = unread;
    return !jsonEqual(before, [this.undecided(), this.holds]);
  }

  /** All that is held back of its cards. */
  get holds(): readonly GpuHold[] {
    return this.#lacksReport ? [...this.signals, unreadReport] : this.signals;
  }

  /** What nobody can tell of it. */
  undecided(): Undecided | undefined {
    const gpus = this.#areCardsUndecided(this.#unread) ? 'cards' : this.#unread.names ? 'models' : undefined;
    const { undecided: storageClasses } = this.classes;
    const ephemeralStorage = this.volumeBytes === undefined ? 'available' : undefined;
    const isDecided = gpus === undefined && storageClasses.length === 0 && ephemeralStorage === undefined;
    return isDecided ? undefined : { gpus, storageClasses, ephemeralStorage };
  }

  get #isReportUnread(): boolean {
    return isUnread(this.#unread.reports, this.name);
  }

  /** One that was good before counts as it last was. */
  get #lacksReport(): boolean {
    return this.#isReportUnread && !this.#isReportCounted;
  }

  #areCardsUndecided({ devices }: UnreadCards): boolean {
    if (this.#isReportUnread) return true;
    // Where an agent found cards, drivers tell who may have them, and of no others.
    return this.gpus === undefined ? this.facts !== undefined || devices : devices && this.gpus.length === 0;
  }

  /** After anything that says what the cards are or how they are. */
  updateCards(knowledge: GpuKnowledge, now: number): void {
    const { observed: node, resources, gpus = [], devices, status } = this;
    // First those that there are: it may be that no others can be made.
    if (this.#lacksReport) this.#hold(this.pools, now);
    const isUnconfirmed = this.silence !== undefined && !this.silence.isBrief;
    const held = status?.devices;
    const pools = node === undefined ? [] : cardPools({ node, resources, gpus, devices, held, knowledge, isUnconfirmed });
    this.#isReportCounted = this.facts !== undefined;
    this.#hold(pools, now);
  }

  #hold(pools: readonly CardPool[], now: number): void {
    const { holds } = this;
    this.pools = holdCards(pools, holds);
    this.gpusHeld = holdOfAll(pools, holds);
    if (this.observed === undefined) return;
    this.health.observeOffers(this.resources, this.gpusHeld !== undefined, now);
    this.health.observeCards(this.pools, now);
  }
}
