import { done, type Outcome, type Reconciler } from '@quartermaster/controller';
import { type KubeReader, type KubeWriter, kinds, type ReadableCache } from '@quartermaster/kube';
import type { Node } from '@quartermaster/kube/shapes';
import type { NodeInventory } from '../model/node-inventory.ts';
import { gpuPresentLabel, isManagedLabel } from './label-keys.ts';
import { planLabels } from './node-labels.ts';

export const labelFieldManager = 'quartermaster-inventory';

export interface LabelReconcilerOptions {
  /** What is in the cache of nodes, by name. */
  readonly nodes: ReadableCache<{ readonly labels: Readonly<Record<string, string>> }>;
  /** The inventory of a node; undefined while it is not known, and then its labels stay as they are. */
  view(name: string): NodeInventory | undefined;
  /** Reads a node with its managed fields, to see whose a label is. */
  readonly reader: Pick<KubeReader, 'find'>;
  /** The writes of the leader. */
  readonly writer: Pick<KubeWriter, 'apply'>;
}

/**
 * Keeps the labels of one node as the inventory says, by server-side apply of exactly the managed keys. Compares with what the node carries
 * and writes only what differs, so that neither a restart nor a repeated event writes anything; what nobody can tell stays. Labels that others set are never
 * touched, also those that look like ours.
 */
export class LabelReconciler implements Reconciler {
  readonly name = 'node-labels';
  readonly #options: LabelReconcilerOptions;
  /** Node uid -> keys that look like ours and are somebody else's, so that their owner is asked for once. */
  readonly #foreign = new Map<string, string>();

  constructor(options: LabelReconcilerOptions) {
    this.#options = options;
  }

  async reconcile(key: string, signal: AbortSignal): Promise<Outcome> {
    const entry = this.#options.nodes.get(key);
    const view = this.#options.view(key);
    // A node of the same name that was created anew is not the one that the view is about.
    if (entry === undefined || view === undefined || view.uid !== entry.uid) return done;
    const { labels } = entry.value;
    const plan = planLabels(view, labels);
    const desired = withoutForeignPresence(plan.desired, labels);
    const missing = Object.entries(desired).some(([name, value]) => labels[name] !== value);
    const extra = Object.keys(labels).filter(
      (name) => isManagedLabel(name) && desired[name] === undefined && !plan.undecided.includes(name),
    );
    if (!missing && !this.#mayBeOurs(entry.uid, extra)) return done;
    const isOwnerAsked = !missing || plan.undecided.length > 0;
    const owned = isOwnerAsked ? await this.#ownedLabels(key, signal) : new Set<string>();
    if (!missing && !extra.some((name) => owned.has(name))) {
      this.#foreign.set(entry.uid, fingerprintOf(extra));
      return done;
    }
    // An apply takes away what is ours and not in it, and makes ours what is in it.
    const kept = plan.undecided.filter((name) => owned.has(name)).map((name): [string, string] => [name, labels[name] ?? '']);
    const object = { metadata: { name: key, labels: { ...Object.fromEntries(kept), ...desired } } };
    await this.#options.writer.apply(kinds.nodes, object, { fieldManager: labelFieldManager, force: true, decidedOn: entry, signal });
    return done;
  }

  #mayBeOurs(uid: string, extra: readonly string[]): boolean {
    return extra.length > 0 && this.#foreign.get(uid) !== fingerprintOf(extra);
  }

  /** Labels of a node that were applied under our name. */
  async #ownedLabels(name: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
    return appliedLabels(await this.#options.reader.find(kinds.nodes, { name }, { signal }));
  }
}

const fingerprintOf = (keys: readonly string[]): string => keys.toSorted().join(' ');

/** Another operator may say that no card is usable, by the same label: it is theirs then. */
function withoutForeignPresence(
  desired: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const present = labels[gpuPresentLabel];
  if (present === undefined || present === desired[gpuPresentLabel]) return desired;
  return Object.fromEntries(Object.entries(desired).filter(([key]) => key !== gpuPresentLabel));
}

function appliedLabels(node: Node | undefined): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const { manager, operation, fieldsV1 } of node?.metadata?.managedFields ?? []) {
    if (manager !== labelFieldManager || operation !== 'Apply') continue;
    for (const key of Object.keys(fieldIn(fieldIn(fieldsV1, 'f:metadata'), 'f:labels'))) {
      if (key.startsWith('f:')) keys.add(key.slice(2));
    }
  }
  return keys;
}

function fieldIn(value: unknown, name: string): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = typeof value === 'object' && value !== null ? { ...value } : {};
  const inside = fields[name];
  return typeof inside === 'object' && inside !== null ? { ...inside } : {};
}
