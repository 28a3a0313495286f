import { type JsonObject, jsonEqual, listAt, metaOf, numberAt, objectAt, textAt } from './api-object.ts';
import { labelSelectorFilter } from './selectors.ts';
import { splitKey } from './served-kind.ts';
import type { Store, StoredEvent } from './store.ts';

const budgets = 'policy/poddisruptionbudgets';

/** Keeps the status of PodDisruptionBudgets: how many of their pods are healthy and how many may be disturbed. */
export class DisruptionBudgets {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** What an event asks for; undefined when nothing. */
  workFor({ storageKey, type, key }: StoredEvent): (() => void) | undefined {
    if (storageKey === budgets) return type === 'DELETED' ? undefined : () => this.#refresh(key);
    const { namespace = '' } = splitKey(key);
    if (storageKey !== '/pods' || this.#store.collection(budgets).size === 0) return undefined;
    return () => {
      for (const [budget] of [...this.#store.collection(budgets).range(`${namespace}/`)]) this.#refresh(budget);
    };
  }

  /** The budgets that protect a pod. */
  of(pod: JsonObject): JsonObject[] {
    const { namespace = '', labels = {} } = metaOf(pod);
    return [...this.#store.collection(budgets).range(`${namespace}/`)]
      .map(([, budget]) => budget)
      .filter((budget) => labelSelectorFilter(objectAt(budget, 'spec', 'selector'))(labels));
  }

  #refresh(key: string): void {
    const budget = this.#store.get(budgets, key);
    if (budget === undefined) return;
    const status = this.#status(budget, splitKey(key).namespace ?? '');
    if (!jsonEqual(status, objectAt(budget, 'status'))) this.#store.put(budgets, key, { ...budget, status });
  }

  #status(budget: JsonObject, namespace: string): JsonObject {
    const selected = labelSelectorFilter(objectAt(budget, 'spec', 'selector'));
    const pods = [...this.#store.collection('/pods').range(`${namespace}/`)]
      .map(([, pod]) => pod)
      .filter((pod) => selected(metaOf(pod).labels ?? {}) && !['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase')));
    const healthy = pods.filter((pod) => metaOf(pod).deletionTimestamp === undefined && isReady(pod)).length;
    const desired = desiredHealthy(objectAt(budget, 'spec'), pods.length);
    return {
      ...objectAt(budget, 'status'),
      observedGeneration: metaOf(budget).generation ?? 1,
      disruptionsAllowed: Math.max(0, healthy - desired),
      currentHealthy: healthy,
      desiredHealthy: desired,
      expectedPods: pods.length,
    };
  }
}

const isReady = (pod: JsonObject): boolean =>
  listAt(pod, 'status', 'conditions').some(({ type, status }) => type === 'Ready' && status === 'True');

function desiredHealthy(spec: JsonObject, expected: number): number {
  const count = (field: string): number =>
    numberAt(spec, field) ?? Math.ceil((Number.parseFloat(textAt(spec, field).replace('%', '')) / 100) * expected);
  if ('maxUnavailable' in spec) return Math.max(0, expected - count('maxUnavailable'));
  return 'minAvailable' in spec ? count('minAvailable') : 0;
}
