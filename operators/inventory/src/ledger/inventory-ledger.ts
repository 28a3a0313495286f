import { isDeepStrictEqual } from 'node:util';
import type { HardwareFacts, HardwareStatus } from '@quartermaster/api/node-hardware';
import { jsonEqual } from '@quartermaster/controller';
import { defaultInventoryConfig, type InventoryConfig } from '../config/inventory-config.ts';
import { type GpuKnowledge, isSameKnowledge } from '../gpu/identify-gpu.ts';
import { type UnknownGpu, UnknownGpus } from '../gpu/unknown-gpus.ts';
import type { MeasuredUse, NodeInventory, UnreadCards } from '../model/node-inventory.ts';
import type { AgentSilence, ObservedDevice, ObservedNode, ObservedPod } from '../model/observed.ts';
import type { Allocation, InventoryTotals } from '../model/snapshot.ts';
import type { VolumesInEphemeral } from '../model/storage-inventory.ts';
import type { LeftOutObjects } from '../observe/left-out.ts';
import { type AllocationFilter, type AllocationPage, allocationsOf } from './allocations.ts';
import { LeasePods } from './lease-pods.ts';
import { type DriftReport, LedgerAudit } from './ledger-audit.ts';
import { nodeClasses, type OfferedClass } from './node-classes.ts';
import { NodeEntry } from './node-entry.ts';
import { NodeViews } from './node-views.ts';
import { isGpuUseNews, isNodeUseNews } from './noticeable-use.ts';
import { isSamePod } from './same-pod.ts';

/**
 * What every node has, promises and lacks, kept up to date one event at a time. Does no I/O and knows no clock: each call says what time it is, in
 * milliseconds since the epoch. Values handed in are complete, replace what was known, and must not be changed afterwards; telling the
 * same twice changes nothing. One event costs the same however many nodes there are; a view is made when it is asked for.
 */
export class InventoryLedger {
  readonly leasePods = new LeasePods({ podOf: (uid) => this.#pods.get(uid), viewOf: (name) => this.nodeView(name) });
  readonly #nodes = new Map<string, NodeEntry>();
  readonly #pods = new Map<string, ObservedPod>(); // uid -> pod that takes room
  readonly #recovering = new Set<NodeEntry>(); // that change by themselves
  readonly #unknownGpus = new UnknownGpus();
  readonly #audit = new LedgerAudit();
  readonly #taking: LeftOutObjects['taking'];
  readonly #views: NodeViews;
  #config = defaultInventoryConfig;
  #knowledge: GpuKnowledge;
  #offered: readonly OfferedClass[] | undefined = [];
  #volumesInEphemeral: VolumesInEphemeral = { bytes: new Map(), unread: new Set() };
  #unreadCards: UnreadCards = { reports: new Set(), devices: false, names: false };

  /** `taking` does what takes in an object of a source, and takes note of what it throws. */
  constructor(knowledge: GpuKnowledge, taking: LeftOutObjects['taking'] = (_source, _object, take) => take()) {
    this.#knowledge = knowledge;
    this.#taking = taking;
    this.#views = new NodeViews({ taking, leasePods: this.leasePods });
  }

  setNode(node: ObservedNode, now: number): void {
    const entry = this.#entry(node.name);
    if (jsonEqual(entry.observed, node)) return;
    entry.observe(node, this.#config);
    entry.classes = nodeClasses(this.#config, node.name, this.#offered);
    this.#updateCards(entry, now);
    this.#views.touch(entry, now);
  }

  /** Its pods are kept until they go themselves, and count again if it comes back. */
  removeNode(name: string, now: number): void {
    const entry = this.#nodes.get(name);
    if (entry?.observed === undefined) return;
    entry.observed = undefined;
    this.#updateCards(entry, now);
    this.#views.remove(entry, now);
    this.#forgetIfEmpty(entry);
  }

  /** A pod of a node that is not known yet waits for it. One without a node takes no room, and takes none any more if it did. */
  setPod(pod: ObservedPod, now: number): void {
    const before = this.#pods.get(pod.uid);
    if (before !== undefined && before.node !== pod.node) this.removePod(pod.uid, now);
    if (pod.node === '') return;
    const entry = this.#entry(pod.node);
    this.#pods.set(pod.uid, pod);
    this.leasePods.setPod(before, pod);
    if (before !== undefined && before.node === pod.node) {
      entry.pods.delete(before);
      entry.pods.add(pod);
      if (isSamePod(before, pod)) return;
      entry.sums.subtract(before);
      this.#views.touchByPod(entry, before, now);
    } else entry.pods.add(pod);
    entry.sums.add(pod);
    this.#views.touchByPod(entry, pod, now);
  }

  removePod(uid: string, now: number): void {
    const pod = this.#pods.get(uid);
    if (pod === undefined) return;
    this.#pods.delete(uid);
    this.leasePods.setPod(pod, undefined);
    const entry = this.#entry(pod.node);
    entry.pods.delete(pod);
    entry.sums.subtract(pod);
    this.#views.touchByPod(entry, pod, now);
    this.#forgetIfEmpty(entry);
  }

  /** What the agent of a node found; undefined once its object is gone. What is of another machine does not count. Cards of which the agent could not tell this time are still there. */
  setHardware(node: string, facts: HardwareFacts | undefined, status: HardwareStatus | undefined, now: number): void {
    this.#tell(node, (entry) => entry.report(facts && { facts, status }), now);
  }

  /** Undefined when the agent of the node is heard of, or nobody expects one. */
  setAgent(node: string, silence: AgentSilence | undefined, now: number): void {
    this.#tell(node, (entry) => entry.hear(silence), now);
  }

  /** The devices of a node by dynamic resource allocation: all of them. */
  setDevices(node: string, devices: readonly ObservedDevice[], now: number): void {
    this.#tell(node, (entry) => entry.publish(devices), now);
  }

  /** What is really used; what is not told stays as it was. Changes the node only where a figure moved noticeably since its last view. */
  setUtilization(node: string, { utilization, gpuPercent }: MeasuredUse, now: number): void {
    const entry = this.#nodes.get(node);
    if (entry === undefined) return;
    if (utilization !== undefined) entry.utilization = utilization === 'none' ? undefined : utilization;
    entry.gpuUtilization = gpuPercent ?? entry.gpuUtilization;
    if (isGpuUseNews(gpuPercent, entry.counted)) this.#views.touch(entry, now);
    else if (isNodeUseNews(utilization, entry.counted)) this.#views.touchAmounts(entry, now);
  }

  setConfig(config: InventoryConfig, now: number): void {
    this.#config = config;
    for (const entry of this.#nodes.values()) {
      if (entry.observed === undefined) continue;
      const { reasons, toleratedTaints, holds } = entry;
      this.#taking('sellability', entry.name, () => entry.judge(config));
      if (jsonEqual([reasons, toleratedTaints, holds], [entry.reasons, entry.toleratedTaints, entry.holds])) continue;
      this.#updateCards(entry, now);
      this.#views.touch(entry, now);
    }
    this.setStorageClasses(this.#offered, now);
  }

  /** Undefined while the classes of the cluster have not been read. */
  setStorageClasses(offered: readonly OfferedClass[] | undefined, now: number): void {
    this.#offered = offered;
    for (const entry of this.#nodes.values()) {
      const classes = nodeClasses(this.#config, entry.name, offered);
      if (jsonEqual(classes, entry.classes)) continue;
      entry.classes = classes;
      this.#views.touch(entry, now);
    }
  }

  /** Nothing follows from the absence of what it would tell, and no card is sold whose quarantine it may tell of. */
  setUnreadCards(unread: UnreadCards, now: number): void {
    if (isDeepStrictEqual(this.#unreadCards, unread)) return;
    this.#unreadCards = unread;
    for (const node of this.#nodes.keys()) this.#tell(node, (entry) => entry.miss(unread), now);
  }

  /** Volumes that lie in the ephemeral storage of any node, and are held back from it. */
  setVolumesInEphemeral(held: VolumesInEphemeral, now: number): void {
    this.#volumesInEphemeral = held;
    for (const entry of this.#nodes.values()) if (entry.holdVolumes(held)) this.#views.touch(entry, now);
  }

  setGpuDatabase(knowledge: GpuKnowledge, now: number): void {
    if (isSameKnowledge(knowledge, this.#knowledge)) return;
    this.#knowledge = knowledge;
    for (const entry of this.#nodes.values()) {
      const before = entry.pools;
      this.#updateCards(entry, now);
      if (!jsonEqual(before, entry.pools)) this.#views.touch(entry, now);
    }
  }

  /** The names of all known nodes. */
  *names(): Generator<string> {
    for (const entry of this.#nodes.values()) if (entry.observed !== undefined) yield entry.name;
  }

  /** The same object until something of the node changed; undefined for a node that is not known. */
  nodeView(name: string): NodeInventory | undefined {
    const entry = this.#nodes.get(name);
    return entry && this.#views.get(entry);
  }

  totals(): InventoryTotals {
    return this.#views.totals();
  }

  /** Nodes whose view is another one, or that are gone, since the last call, what changes by the passing of time included. */
  takeChanges(now: number): Readonly<Record<'nodes' | 'removed', readonly string[]>> {
    for (const entry of this.#recovering) {
      if (entry.health.settle(now)) this.#views.touch(entry, now);
      if (entry.health.dueAt() === undefined) this.#recovering.delete(entry);
    }
    return this.#views.take();
  }

  /** Who holds what, by namespace, pod and UID: all of them, or a page. */
  allocations(filter: AllocationFilter = {}, page?: AllocationPage): readonly Allocation[] {
    const pods = filter.node === undefined ? this.#pods.values() : (this.#nodes.get(filter.node)?.pods ?? []);
    return allocationsOf(pods, filter, (name) => this.nodeView(name), page);
  }

  /** Kinds of cards that no source could name, each told once. */
  takeUnknownGpus(): readonly UnknownGpu[] {
    return this.#unknownGpus.take();
  }

  /** Checks a slice of the nodes, with about so many pods, and puts right what is wrong. */
  audit(now: number, atLeastPods = 2000): DriftReport {
    return this.#audit.slice(this.#nodes, atLeastPods, (entry) => this.#views.touch(entry, now));
  }

  /** How many amounts an audit has put right so far. */
  get drifts(): number {
    return this.#audit.drifts;
  }

  /** How often nodes changed between sellable, held back and unknown so far, or came or went. */
  get moves(): number {
    return this.#views.moves;
  }

  get pods(): number {
    return this.#pods.size;
  }

  #entry(name: string): NodeEntry {
    const known = this.#nodes.get(name);
    if (known !== undefined) return known;
    const entry = new NodeEntry(name);
    entry.holdVolumes(this.#volumesInEphemeral);
    entry.miss(this.#unreadCards);
    this.#nodes.set(name, entry);
    return entry;
  }

  /** `tell` says whether that was new; it may be about a node that is not known yet. */
  #tell(node: string, tell: (entry: NodeEntry) => boolean, now: number): void {
    const entry = this.#entry(node);
    if (tell(entry)) {
      this.#updateCards(entry, now);
      this.#views.touch(entry, now);
    }
    this.#forgetIfEmpty(entry);
  }

  #forgetIfEmpty(entry: NodeEntry): void {
    if (!entry.isEmpty) return;
    this.#nodes.delete(entry.name);
    this.#recovering.delete(entry);
  }

  #updateCards(entry: NodeEntry, now: number): void {
    this.#taking('gpu-cards', entry.name, () => entry.updateCards(this.#knowledge, now));
    for (const { identifiedBy, vendorId, productId } of entry.pools.flatMap(({ cards }) => cards)) {
      if (identifiedBy === 'unknown') this.#unknownGpus.note({ vendorId, productId, node: entry.name });
    }
    if (entry.health.dueAt() !== undefined) this.#recovering.add(entry);
  }
}
