import type { Inventory } from '@quartermaster/inventory';
import type { PodRequests } from '@quartermaster/kube';
import type { PodAnswer } from '../../kube/vectors/oracle.ts';

type NodeView = NonNullable<ReturnType<Inventory['ledger']['nodeView']>>;

/** What is promised on a node, in the form in which the scheduler's count is. */
export function allocatedOn({ cpu, memory, ephemeralStorage, gpus, extended }: NodeView): PodAnswer {
  const pieces = new Map([...extended].map(([resource, { allocated }]) => [resource, allocated]));
  for (const { resource, amount } of gpus) pieces.set(resource, (pieces.get(resource) ?? 0) + amount.allocated);
  return {
    cpuMillis: cpu.allocated,
    memoryBytes: memory.allocated,
    ephemeralStorageBytes: ephemeralStorage.allocated,
    extended: withoutZeros(Object.fromEntries(pieces)),
  };
}

/** Without resources of which nothing is taken: the scheduler names them, a node that does not have them does not. */
export function comparable(answer: PodAnswer): PodAnswer {
  return { ...answer, extended: withoutZeros(answer.extended) };
}

/** The resources of which a node has too little left for a pod, and `pods` where it has as many as it runs; none when the pod fits. */
export function lackingOn(node: NodeView, { cpuMillis, memoryBytes, ephemeralStorageBytes, extended }: PodRequests): readonly string[] {
  const lacking = node.sellability.reasons.some(({ code }) => code === 'PodsFull') ? ['pods'] : [];
  // A pod that asks for nothing of a resource fits on a node where it is used up.
  const check = (resource: string, asked: number, available: number): void => {
    if (asked > 0 && asked > available) lacking.push(resource);
  };
  check('cpu', cpuMillis, node.cpu.available);
  check('memory', memoryBytes, node.memory.available);
  check('ephemeral-storage', ephemeralStorageBytes, node.ephemeralStorage.available);
  for (const [resource, pieces] of extended) check(resource, pieces, availableOf(node, resource));
  return lacking.toSorted();
}

function availableOf({ gpus, extended }: NodeView, resource: string): number {
  const cards = gpus.filter((group) => group.resource === resource).reduce((sum, { amount }) => sum + amount.available, 0);
  return cards + (extended.get(resource)?.available ?? 0);
}

function withoutZeros(pieces: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(pieces).filter(([, count]) => count > 0));
}
