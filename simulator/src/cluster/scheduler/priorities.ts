import type { ReadableCache } from '@quartermaster/kube';
import type { PodView } from './pod-view.ts';

/** Classes that every cluster has. */
const systemClasses: ReadonlyMap<string, number> = new Map([
  ['system-cluster-critical', 2_000_000_000],
  ['system-node-critical', 2_000_001_000],
]);

/** The priority of a pod by its class; by its own number where the class is not known, as of a pod that an API server has filled in. */
export function priorityBy(classes: ReadableCache<number>): (pod: PodView) => number {
  return ({ priority, priorityClass }) =>
    priorityClass === '' ? priority : (classes.get(priorityClass)?.value ?? systemClasses.get(priorityClass) ?? priority);
}
