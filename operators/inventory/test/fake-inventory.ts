import type { NodeInventory } from '../src/model/node-inventory.ts';
import type { Completeness, LeasePod, LeaseVolume } from '../src/model/snapshot.ts';
import type { StorageInventory } from '../src/model/storage-inventory.ts';
import type { InventorySource } from '../src/publish/inventory-feed.ts';
import { totalsOf } from './inventory-values.ts';

/** An inventory that a test sets as it likes, in place of the ledger and the storage watch. */
export class FakeInventory implements InventorySource {
  readonly nodes = new Map<string, NodeInventory>(); // name -> node
  readonly classes = new Map<string, StorageInventory>(); // class -> storage
  readonly leasePods = new Map<string, LeasePod>(); // uid -> pod
  readonly leaseVolumes = new Map<string, LeaseVolume>(); // uid of the claim -> volume
  isComplete = true;
  stale: Completeness['stale'] = [];
  leftOut: Completeness['leftOut'] = [];
  /** How often each was asked for. */
  views = 0;
  storageReads = 0;
  #changed = new Set<string>();
  #changedPods = new Set<string>();
  #changedVolumes = new Set<string>();

  setNode(node: NodeInventory): void {
    this.nodes.set(node.name, node);
    this.#changed.add(node.name);
  }

  removeNode(name: string): void {
    this.nodes.delete(name);
    this.#changed.add(name);
  }

  setLeasePod(pod: LeasePod): void {
    this.leasePods.set(pod.uid, pod);
    this.#changedPods.add(pod.uid);
  }

  removeLeasePod(uid: string): void {
    this.leasePods.delete(uid);
    this.#changedPods.add(uid);
  }

  setLeaseVolume(volume: LeaseVolume): void {
    this.leaseVolumes.set(volume.uid, volume);
    this.#changedVolumes.add(volume.uid);
  }

  removeLeaseVolume(uid: string): void {
    this.leaseVolumes.delete(uid);
    this.#changedVolumes.add(uid);
  }

  isReady(): boolean {
    return this.isComplete;
  }

  takeChanges(): { nodes: string[]; removed: string[] } {
    const names = [...this.#changed];
    this.#changed = new Set();
    return { nodes: names.filter((name) => this.nodes.has(name)), removed: names.filter((name) => !this.nodes.has(name)) };
  }

  view(name: string): NodeInventory | undefined {
    this.views += 1;
    return this.nodes.get(name);
  }

  takeLeasePods(): string[] {
    const uids = [...this.#changedPods];
    this.#changedPods = new Set();
    return uids;
  }

  leasePod(uid: string): LeasePod | undefined {
    return this.leasePods.get(uid);
  }

  takeLeaseVolumes(): string[] {
    const uids = [...this.#changedVolumes];
    this.#changedVolumes = new Set();
    return uids;
  }

  leaseVolume(uid: string): LeaseVolume | undefined {
    return this.leaseVolumes.get(uid);
  }

  storage(): readonly StorageInventory[] {
    this.storageReads += 1;
    return [...this.classes.values()];
  }

  totals() {
    return totalsOf(this.nodes.values());
  }

  completeness(): Completeness {
    return { complete: this.stale.length === 0, stale: this.stale, leftOut: this.leftOut };
  }
}
