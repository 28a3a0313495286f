import { type LocalView, placeOfVolumes, volumesOn } from './local-view.ts';

/**
 * Node -> bytes that volumes have been promised where pods' ephemeral storage is: to be held back from what pods may still get. It follows from the volumes
 * and from nothing that a class, its configuration or a missing agent could switch off: what nobody can place counts.
 */
export function volumesInEphemeral(view: LocalView): ReadonlyMap<string, number> {
  const held = new Map<string, number>();
  for (const node of new Set([...view.nodes, ...view.volumes.keys()])) {
    if (node === '') continue;
    for (const each of volumesOn(node, view)) {
      if (placeOfVolumes(each, node, view).inEphemeral) held.set(node, (held.get(node) ?? 0) + each.bytes);
    }
  }
  return held;
}

/** The nodes in whose ephemeral storage there may be more than that, which nobody tells. */
export function untoldInEphemeral(view: LocalView): ReadonlySet<string> {
  const untold = [...view.volumes.values()].flat().filter((each) => each.isUntold === true);
  return new Set(untold.filter((each) => placeOfVolumes(each, each.node, view).inEphemeral).map(({ node }) => node));
}
