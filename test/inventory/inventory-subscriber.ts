import type { Generation, LeasePod, LeaseVolume, Node, Snapshot, StorageClass, WatchInventoryResponse } from '@quartermaster/api/inventory';
import type { RunningOperator } from './running-operator.ts';

/** Keeps what it was told, from whichever replica it can reach. */
export class InventorySubscriber {
  readonly nodes = new Map<string, Node>();
  readonly leasePods = new Map<string, LeasePod>(); // by uid
  readonly classes = new Map<string, StorageClass>();
  readonly leaseVolumes = new Map<string, LeaseVolume>(); // by uid of the claim
  /** Of everything that came after a reconnection, what came first. */
  readonly firstEvents: string[] = [];
  generation: Generation | undefined;
  /** Deltas that did not begin where the one before ended. */
  gaps = 0;
  readonly #heard: (event: WatchInventoryResponse['event']) => void;
  #ending = new AbortController();

  /** `heard` is called after each event was taken. */
  constructor(heard: (event: WatchInventoryResponse['event']) => void = () => {}) {
    this.#heard = heard;
  }

  /** Until the replica ends or another one is followed. */
  async follow({ grpc }: Pick<RunningOperator, 'grpc'>): Promise<void> {
    this.#ending.abort();
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    const request = this.generation === undefined ? {} : { resumeFrom: this.generation };
    let isFirst = true;
    try {
      for await (const { event } of grpc.watchInventory(request, { signal })) {
        if (isFirst) this.firstEvents.push(event.case ?? '');
        isFirst = false;
        this.#take(event);
        this.#heard(event);
      }
    } catch {
      // The replica went away or the test ended: what was heard so far stays.
    }
  }

  stop(): void {
    this.#ending.abort();
  }

  #take(event: WatchInventoryResponse['event']): void {
    if (event.case === 'snapshot') {
      this.nodes.clear();
      this.leasePods.clear();
      this.classes.clear();
      this.leaseVolumes.clear();
      this.#put(event.value);
      this.generation = event.value.generation;
    } else if (event.case === 'delta') {
      const { from } = event.value;
      if (from?.epoch !== this.generation?.epoch || from?.sequence !== this.generation?.sequence) this.gaps += 1;
      this.#put(event.value);
      for (const name of event.value.removedNodes) this.nodes.delete(name);
      for (const uid of event.value.removedLeasePods) this.leasePods.delete(uid);
      for (const name of event.value.removedStorage) this.classes.delete(name);
      for (const uid of event.value.removedLeaseVolumes) this.leaseVolumes.delete(uid);
      this.generation = event.value.to;
    }
  }

  #put({ nodes, leasePods, storage, leaseVolumes }: Pick<Snapshot, 'nodes' | 'leasePods' | 'storage' | 'leaseVolumes'>): void {
    for (const node of nodes) this.nodes.set(node.name, node);
    for (const pod of leasePods) this.leasePods.set(pod.uid, pod);
    for (const each of storage) this.classes.set(each.name, each);
    for (const volume of leaseVolumes) this.leaseVolumes.set(volume.uid, volume);
  }
}
