import type { NodeDetail, SilentSource } from '../../inventory-source.ts';

/** Since when nothing is heard of a node, as the reason against selling it says; undefined while it reports. */
export function silentSince({ state, reasons, stale }: Pick<NodeDetail, 'state' | 'reasons' | 'stale'>): number | undefined {
  if (state !== 'unknown') return undefined;
  return reasons.find(({ since }) => since !== undefined)?.since ?? kubeletOf(stale)?.since;
}

/** What of the node is not confirmed now. That its kubelet does not report is the same silence, and has the same age. */
export function silentSources(detail: Pick<NodeDetail, 'state' | 'reasons' | 'stale'>): readonly SilentSource[] {
  const since = silentSince(detail);
  return since === undefined ? detail.stale : detail.stale.map((each) => (each.source === 'kubelet' ? { ...each, since } : each));
}

const kubeletOf = (stale: readonly SilentSource[]): SilentSource | undefined => stale.find(({ source }) => source === 'kubelet');
