import type { WorkloadPod } from '../pods/workload-pod.ts';
import { NodeRoom, type NodeView } from './node-room.ts';

/**
 * Every node with what is on it: pods that the server has bound, and pods that were decided a moment ago and that count already. Keeps
 * pods of nodes that it does not know yet, so that the order in which nodes and pods are told does not matter.
 */
export class ClusterState {
  readonly #rooms = new Map<string, NodeRoom>(); // node -> room
  readonly #homeless = new Map<string, Map<string, WorkloadPod>>(); // node that is not known -> pod key -> pod
  readonly #places = new Map<string, string>(); // pod key -> node
  readonly #assumed = new Set<string>(); // pod keys that the server has not confirmed
  #list: readonly NodeRoom[] | undefined;

  get rooms(): readonly NodeRoom[] {
    this.#list ??= [...this.#rooms.values()];
    return this.#list;
  }

  putNode(view: NodeView): void {
    const known = this.#rooms.get(view.name);
    if (known !== undefined) {
      known.view = view;
      return;
    }
    const room = new NodeRoom(view);
    for (const [key, pod] of this.#homeless.get(view.name) ?? []) room.put(key, pod);
    this.#homeless.delete(view.name);
    this.#rooms.set(view.name, room);
    this.#list = undefined;
  }

  removeNode(name: string): void {
    const room = this.#rooms.get(name);
    if (room === undefined) return;
    this.#homeless.set(name, new Map(room.pods));
    this.#rooms.delete(name);
    this.#list = undefined;
  }

  /** What the server says of a pod. An undecided pod that was assumed keeps its assumed place. */
  putPod(key: string, pod: WorkloadPod): void {
    if (pod.counts) {
      this.#assumed.delete(key);
      this.#put(key, pod, pod.nodeName);
    } else if (!this.#assumed.has(key) || !pod.isPending) this.removePod(key);
  }

  removePod(key: string): void {
    const node = this.#places.get(key);
    this.#assumed.delete(key);
    if (node === undefined) return;
    this.#rooms.get(node)?.remove(key);
    this.#homeless.get(node)?.delete(key);
    this.#places.delete(key);
  }

  /** Counts the pod on the node from now on, until the server confirms it or `removePod` takes it back. */
  assume(key: string, pod: WorkloadPod, node: string): void {
    this.#assumed.add(key);
    this.#put(key, pod, node);
  }

  isAssumed(key: string): boolean {
    return this.#assumed.has(key);
  }

  #put(key: string, pod: WorkloadPod, node: string): void {
    if (this.#places.get(key) !== undefined) {
      const wasAssumed = this.#assumed.has(key);
      this.removePod(key);
      if (wasAssumed) this.#assumed.add(key);
    }
    this.#places.set(key, node);
    const room = this.#rooms.get(node);
    if (room !== undefined) room.put(key, pod);
    else this.#homeless.set(node, (this.#homeless.get(node) ?? new Map<string, WorkloadPod>()).set(key, pod));
  }
}
