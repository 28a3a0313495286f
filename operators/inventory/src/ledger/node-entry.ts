import type { GpuFacts, HardwareFacts, HardwareStatus } from '@quartermaster/api/node-hardware';
import type { GpuKnowledge } from '../gpu/identify-gpu.ts';
import type { NodeInventory, NodeUtilization, Reason, Undecided } from '../model/node-inventory.ts';
import type { ObservedDevice, ObservedNode, ObservedPod } from '../model/observed.ts';
import { type CardPool, cardPools } from './gpu-cards.ts';
import { NodeHealth } from './node-health.ts';
import { type NodeResources, nodeResources } from './node-resources.ts';
import { NodeSums } from './node-sums.ts';
import { type NodeClasses, noClasses } from './offered-classes.ts';
import type { SteadyView } from './steady-view.ts';

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
  readonly pods = new Set<ObservedPod>();
  sums = new NodeSums();
  facts: HardwareFacts | undefined;
  /** As last read: while the bus cannot be read, its cards are still there. Undefined before it was first read. */
  gpus: readonly GpuFacts[] | undefined;
  status: HardwareStatus | undefined;
  devices: readonly ObservedDevice[] = [];
  utilization: NodeUtilization | undefined;
  /** device id -> percent */
  gpuUtilization: ReadonlyMap<string, number> = new Map();
  classes: NodeClasses = noClasses;
  /** Bytes of volumes on the filesystem of the node's ephemeral storage. */
  volumeBytes = 0;
  pools: readonly CardPool[] = [];
  readonly health = new NodeHealth();
  /** Undefined when it must be made anew. */
  view: NodeInventory | undefined;
  /** Undefined when it must be made anew. */
  steady: SteadyView | undefined;
  /** What the totals hold of this node. */
  counted: NodeInventory | undefined;
  changedAt = 0;

  constructor(name: string) {
    this.name = name;
  }

  /** Nothing is known that would be missed. */
  get isEmpty(): boolean {
    return this.observed === undefined && this.pods.size === 0 && this.facts === undefined && this.devices.length === 0;
  }

  observe(node: ObservedNode, now: number): void {
    this.observed = node;
    this.resources = nodeResources(node);
    this.health.observeOffers(this.resources, now);
  }

  /** What nobody can tell of it, given what nobody can tell of cards in general. */
  undecided(ofCards: Undecided['gpus']): Undecided | undefined {
    const gpus = this.facts !== undefined && this.gpus === undefined ? 'cards' : ofCards;
    const { undecided: storageClasses } = this.classes;
    return gpus === undefined && storageClasses.length === 0 ? undefined : { gpus, storageClasses };
  }

  /** After anything that says what the cards are or how they are. */
  updateCards(knowledge: GpuKnowledge, now: number): void {
    const { observed: node, resources, gpus = [], devices } = this;
    this.pools = node === undefined ? [] : cardPools({ node, resources, gpus, devices, knowledge });
    if (node !== undefined) this.health.observeCards(this.pools, now);
  }
}
