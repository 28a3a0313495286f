import { isDeepStrictEqual } from 'node:util';
import type { ClassFigures, InventoryChange, LeasePod, LeaseVolume, NodeFigures } from '../model/inventory-change.ts';

/** What the book was told of the inventory so far. */
export class InventoryPicture {
  readonly nodes = new Map<string, NodeFigures>();
  readonly classes = new Map<string, ClassFigures>();
  readonly pods = new Map<string, LeasePod>(); // uid -> pod
  readonly volumes = new Map<string, LeaseVolume>(); // uid -> claim

  take(change: InventoryChange): void {
    if (change.kind === 'whole') for (const each of [this.nodes, this.classes, this.pods, this.volumes]) each.clear();
    for (const name of change.removedNodes) this.nodes.delete(name);
    for (const name of change.removedClasses) this.classes.delete(name);
    for (const uid of change.removedPods) this.pods.delete(uid);
    for (const uid of change.removedVolumes) this.volumes.delete(uid);
    for (const node of change.nodes) this.nodes.set(node.facts.name, node);
    for (const each of change.classes) this.classes.set(each.facts.name, each);
    for (const pod of change.pods) this.pods.set(pod.uid, pod);
    for (const volume of change.volumes) this.volumes.set(volume.uid, volume);
  }

  /** What a whole inventory tells otherwise, as `node a`; empty when both are the same. */
  differences(whole: InventoryChange): readonly string[] {
    const other = new InventoryPicture();
    other.take(whole);
    return [
      ...different('node', this.nodes, other.nodes),
      ...different('class', this.classes, other.classes),
      ...different('pod', this.pods, other.pods),
      ...different('claim', this.volumes, other.volumes),
    ];
  }
}

function different<T>(kind: string, ours: ReadonlyMap<string, T>, theirs: ReadonlyMap<string, T>): readonly string[] {
  const names = new Set([...ours.keys(), ...theirs.keys()]);
  return [...names].filter((name) => !isDeepStrictEqual(ours.get(name), theirs.get(name))).map((name) => `${kind} ${name}`);
}
