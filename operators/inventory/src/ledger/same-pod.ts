import type { ObservedPod } from '../model/observed.ts';

/** Whether two states of a pod on one node take the same from it. */
export function isSamePod(a: ObservedPod, b: ObservedPod): boolean {
  return (
    a.requests.cpuMillis === b.requests.cpuMillis &&
    a.requests.memoryBytes === b.requests.memoryBytes &&
    a.requests.ephemeralStorageBytes === b.requests.ephemeralStorageBytes &&
    a.ramBytes === b.ramBytes &&
    a.name === b.name &&
    a.namespace === b.namespace &&
    hasSameEntries(a.requests.extended, b.requests.extended)
  );
}

function hasSameEntries(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const [key, value] of a) if (b.get(key) !== value) return false;
  return true;
}
