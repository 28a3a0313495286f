import type { GpuGroup, NodeInventory } from '../model/node-inventory.ts';
import { capabilityKey, gpuPresentLabel, isGpuLabel, isStorageLabel, managedLabel } from './label-keys.ts';

type Labels = Readonly<Record<string, string>>;

/** What the labels of a node should be. */
export interface LabelPlan {
  /** Those that it should carry. */
  readonly desired: Labels;
  /** Of the others that it carries, those of which nobody can tell whether they are true: they stay as they are. */
  readonly undecided: readonly string[];
}

/**
 * Compares what a node carries with what is known of it. Labels say what a node has, for affinities of pods, and change only when that changes and
 * is known: neither a backend that does not answer nor a database that is not read yet changes any. A node that is silent, cordoned,
 * tainted, under pressure or over-allocated keeps them: the scheduler keeps new pods away by itself, pods that are there still match, and labels
 * that come and go would only make others churn. A node that the configuration excludes has none: that is how a provider takes it
 * off the market. So has one that is being deleted.
 */
export function planLabels(view: NodeInventory, carried: Labels): LabelPlan {
  if (view.sellability.reasons.some(({ code }) => code === 'Excluded' || code === 'Deleting')) return { desired: {}, undecided: [] };
  const isUndecided = undecidedKeys(view, carried);
  const desired = Object.fromEntries(Object.entries(nodeLabels(view)).filter(([key]) => !isUndecided(key)));
  return { desired, undecided: Object.keys(carried).filter(isUndecided) };
}

function undecidedKeys({ undecided }: NodeInventory, carried: Labels): (key: string) => boolean {
  if (undecided === undefined) return () => false;
  const { gpus, storageClasses } = undecided;
  // A node that says nothing of its cards yet is better off with what they probably are called than with nothing.
  const areGpusUndecided =
    gpus === 'cards' || (gpus === 'models' && Object.keys(carried).some((key) => isGpuLabel(key) && key !== gpuPresentLabel));
  const classes = storageClasses === 'all' ? undefined : new Set(storageClasses.map(storageKey));
  return (key) => (isGpuLabel(key) && areGpusUndecided) || (isStorageLabel(key) && classes?.has(key) !== false);
}

function nodeLabels(view: NodeInventory): Labels {
  const labels: Record<string, string> = { [managedLabel]: 'true' };
  for (const storageClass of view.storageClasses) labels[storageKey(storageClass)] = 'true';
  for (const [key, count] of gpuCounts(view.gpus)) labels[key] = String(count);
  for (const { vendor, model } of view.gpus) {
    labels[capabilityKey('gpu', 'vendor', vendor)] = 'true';
    labels[capabilityKey('gpu', 'model', model)] = 'true';
    if (vendor === 'nvidia') labels[gpuPresentLabel] = 'true';
  }
  return labels;
}

const storageKey = (storageClass: string): string => capabilityKey('storage', 'class', storageClass);

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
