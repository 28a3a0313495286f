import { StatusError } from '@quartermaster/kernel';
import type { InventoryChange } from '../model/inventory-change.ts';

/** Before anything is changed: a generation is taken whole or not at all. */
export function checkInventoryChange({ nodes, classes, pods, volumes }: InventoryChange): void {
  for (const { facts } of nodes) {
    const cards = facts.cards.flatMap((pool) =>
      pool.assignedBy === 'plugin' ? [pool.size, pool.free] : pool.groups.flatMap(({ size, free }) => [size, free]),
    );
    check(`node ${facts.name}`, [facts.cpuMillis, facts.memoryBytes, facts.ephemeralBytes, facts.podSlots ?? 0, ...cards]);
  }
  for (const { facts } of classes) {
    const { freeBytes = 0 } = facts;
    check(`storage class ${facts.name}`, typeof freeBytes === 'number' ? [freeBytes] : [...freeBytes.values()]);
  }
  for (const pod of pods)
    check(`pod ${pod.namespace}/${pod.name}`, [pod.cpuMillis, pod.memoryBytes, pod.ephemeralBytes, ...pod.cards.values()]);
  for (const claim of volumes) check(`claim ${claim.namespace}/${claim.name}`, [claim.bytes]);
}

function check(what: string, amounts: readonly number[]): void {
  if (amounts.every(Number.isSafeInteger)) return;
  throw new StatusError('invalid_argument', `${what} has the amounts ${amounts.join(', ')}; they must be whole numbers`);
}
