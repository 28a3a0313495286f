import type { DeploymentStrategy } from '@quartermaster/kube/shapes';

/** One generation of a Deployment's pods. */
export interface Generation {
  readonly name: string;
  /** What its ReplicaSet is told to have. */
  readonly replicas: number;
  readonly available: number;
}

/**
 * How many replicas each generation should have next, one step of an update: never more than `replicas + maxSurge` pods in all, and
 * never fewer than `replicas - maxUnavailable` available ones as far as it depends on us. `current` is the one to end up with. Answers
 * name -> replicas of those that have to change.
 */
export function planRollout(
  replicas: number,
  strategy: DeploymentStrategy | undefined,
  current: Generation,
  others: readonly Generation[],
): ReadonlyMap<string, number> {
  const scales = new Map<string, number>();
  const scale = ({ name, replicas: before }: Generation, after: number): void => {
    if (before !== after) scales.set(name, after);
  };
  const old = others.filter((generation) => generation.replicas > 0);
  if (strategy?.type === 'Recreate') {
    for (const generation of old) scale(generation, 0);
    // The pods of the old generations must be gone first, which the caller sees as their replicas and ends here again.
    if (old.length === 0) scale(current, replicas);
    return scales;
  }
  const { maxSurge, maxUnavailable } = limits(replicas, strategy);
  const total = [current, ...old].reduce((sum, generation) => sum + generation.replicas, 0);
  const raised = current.replicas > replicas ? replicas : Math.min(current.replicas + Math.max(replicas + maxSurge - total, 0), replicas);
  scale(current, raised);

  // Old pods that are not available help nobody and go first; then as many as may be missing.
  const available = [current, ...old].reduce((sum, generation) => sum + generation.available, 0);
  let spare = Math.max(available - (replicas - maxUnavailable), 0);
  for (const generation of old) {
    const broken = Math.max(generation.replicas - generation.available, 0);
    const removable = Math.min(generation.available, spare);
    spare -= removable;
    scale(generation, generation.replicas - broken - removable);
  }
  return scales;
}

/** Percentages round up for the surge and down for what may be missing; both zero would never move. */
function limits(
  replicas: number,
  strategy: DeploymentStrategy | undefined,
): { readonly maxSurge: number; readonly maxUnavailable: number } {
  const { maxSurge: surge = '25%', maxUnavailable: missing = '25%' } = strategy?.rollingUpdate ?? {};
  const maxSurge = amount(surge, replicas, Math.ceil);
  const maxUnavailable = amount(missing, replicas, Math.floor);
  return { maxSurge, maxUnavailable: maxSurge === 0 && maxUnavailable === 0 ? 1 : maxUnavailable };
}

/** A number, or a share of `total` such as `25%`. */
export function amount(value: number | string, total: number, round: (value: number) => number): number {
  if (typeof value === 'number') return value;
  return value.endsWith('%') ? round((Number(value.slice(0, -1)) * total) / 100) : Number(value);
}
