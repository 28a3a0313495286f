import { isLeasePod } from '../model/lease-labels.ts';
import type { GpuDevice, NodeInventory } from '../model/node-inventory.ts';
import type { ObservedPod } from '../model/observed.ts';
import type { LeasePod } from '../model/snapshot.ts';
import { devicesOf } from './allocations.ts';

export interface LeasePodsOptions {
  /** Of a pod that takes room. */
  readonly podOf: (uid: string) => ObservedPod | undefined;
  /** What is counted on a known node. */
  readonly viewOf: (node: string) => NodeInventory | undefined;
}

/**
 * Knows which of the pods that take room are of leases, and what of them may have changed since somebody last asked: the pod itself, its namespace, whether
 * its node counts, or the devices that it holds. A record is made when it is asked for; a pod of no lease leaves nothing here.
 */
export class LeasePods {
  readonly #options: LeasePodsOptions;
  readonly #byNamespace = new Map<string, Set<string>>(); // namespace -> uids of its lease pods
  readonly #namespaceUids = new Map<string, string>();
  readonly #changed = new Set<string>(); // uids

  constructor(options: LeasePodsOptions) {
    this.#options = options;
  }

  /** Undefined once there is no namespace of that name. */
  setNamespace(name: string, uid: string | undefined): void {
    if (this.#namespaceUids.get(name) === uid) return;
    if (uid === undefined) this.#namespaceUids.delete(name);
    else this.#namespaceUids.set(name, uid);
    for (const pod of this.#byNamespace.get(name) ?? []) this.#changed.add(pod);
  }

  /** What a pod was and what it is; undefined while it takes no room. */
  setPod(before: ObservedPod | undefined, now: ObservedPod | undefined): void {
    if (now !== undefined && isLeasePod(now)) this.#add(now);
    else if (before !== undefined && isLeasePod(before)) this.#remove(before);
  }

  /** What is counted of a node is another view now: it came or went with all of its pods, or its cards have other holders. */
  setView(pods: Iterable<ObservedPod>, before: NodeInventory | undefined, now: NodeInventory | undefined): void {
    if (before === undefined || now === undefined) {
      if (before !== now) for (const pod of pods) if (isLeasePod(pod)) this.#changed.add(pod.uid);
      return;
    }
    if (before.devices === now.devices) return;
    for (const pod of movedHolders(before.devices, now.devices)) this.#changed.add(pod);
  }

  /** The uids of pods whose record may be another one, or gone, since the last call. */
  take(): readonly string[] {
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }

  /** Undefined for a pod that is of no lease, takes no room, or is on a node that nobody knows. */
  get(uid: string): LeasePod | undefined {
    const pod = this.#options.podOf(uid);
    const view = pod !== undefined && isLeasePod(pod) ? this.#options.viewOf(pod.node) : undefined;
    if (pod === undefined || view === undefined) return undefined;
    const { namespace, name, node, leaseLabels, requests, ramBytes } = pod;
    const namespaceUid = this.#namespaceUids.get(namespace);
    return { uid, namespace, namespaceUid, name, leaseLabels, node, requests, ramBytes, devices: devicesOf(pod, view) };
  }

  #add({ namespace, uid }: ObservedPod): void {
    const known = this.#byNamespace.get(namespace) ?? new Set();
    this.#byNamespace.set(namespace, known.add(uid));
    this.#changed.add(uid);
  }

  #remove({ namespace, uid }: ObservedPod): void {
    const known = this.#byNamespace.get(namespace);
    known?.delete(uid);
    if (known?.size === 0) this.#byNamespace.delete(namespace);
    this.#changed.add(uid);
  }
}

/** The uids of pods that have or had a card, or a part of one, that somebody else had or has. */
function movedHolders(before: readonly GpuDevice[], now: readonly GpuDevice[]): Set<string> {
  const held = holdersOf(before);
  const moved = new Set<string>();
  for (const [id, pod] of holdersOf(now)) {
    const old = held.get(id);
    held.delete(id);
    if (old === pod) continue;
    moved.add(pod);
    if (old !== undefined) moved.add(old);
  }
  for (const pod of held.values()) moved.add(pod);
  return moved;
}

function holdersOf(devices: readonly GpuDevice[]): Map<string, string> {
  const holders = new Map<string, string>(); // id -> uid of a pod
  for (const device of devices) {
    for (const { id, holder } of [device, ...(device.parts ?? [])]) if (holder?.podUid !== undefined) holders.set(id, holder.podUid);
  }
  return holders;
}
