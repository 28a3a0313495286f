import type { GpuGroup, NodeInventory } from '../model/node-inventory.ts';
import { capabilityKey, gpuPresentLabel, managedLabel } from './label-keys.ts';

/**
 * The labels that a node should carry, of the kinds that are managed here. They say what a node has, for affinities of pods, and change only when
 * that changes. A node that is silent, cordoned, tainted, under pressure or over-allocated keeps them: the scheduler keeps new pods
 * away by itself, pods that are there still match, and labels that come and go would only make others churn. A node that the configuration
 * excludes has none: that is how a provider takes it off the market. So has one that is being deleted.
 */
export function nodeLabels(view: NodeInventory): Readonly<Record<string, string>> {
  if (view.sellability.reasons.some(({ code }) => code === 'Excluded' || code === 'Deleting')) return {};
  const labels: Record<string, string> = { [managedLabel]: 'true' };
  for (const storageClass of view.storageClasses) labels[capabilityKey('storage', 'class', storageClass)] = 'true';
  for (const [key, count] of gpuCounts(view.gpus)) labels[key] = String(count);
  for (const { vendor, model } of view.gpus) {
    labels[capabilityKey('gpu', 'vendor', vendor)] = 'true';
    labels[capabilityKey('gpu', 'model', model)] = 'true';
    if (vendor === 'nvidia') labels[gpuPresentLabel] = 'true';
  }
  return labels;
}

/** How many cards there are: those that are held or in quarantine belong to the node as well. */
function gpuCounts(gpus: readonly GpuGroup[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { vendor, model, interface: form, memoryBytes, amount } of gpus) {
    const parts = ['gpu', 'vendor', vendor, 'model', model];
    const keys = [capabilityKey(...parts)];
    if (memoryBytes > 0) keys.push(capabilityKey(...parts, 'ram', memoryText(memoryBytes)));
    if (form !== '') keys.push(capabilityKey(...parts, 'interface', interfaceText(form)));
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + amount.capacity);
  }
  return counts;
}

function memoryText(size: number): string {
  return `${Math.round(size / 2 ** 30)}Gi`;
}

/** Orders ask for sxm, whichever generation it is. */
function interfaceText(form: string): string {
  const lower = form.toLowerCase();
  return lower.startsWith('sxm') ? 'sxm' : lower;
}
