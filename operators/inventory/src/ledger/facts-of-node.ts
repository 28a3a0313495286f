import type { HardwareFacts } from '@quartermaster/api/node-hardware';
import type { Reason } from '../model/node-inventory.ts';
import type { ObservedNode } from '../model/observed.ts';

type Machine = Pick<HardwareFacts, 'nodeUid' | 'machine'>;
type Node = Pick<ObservedNode, 'uid' | 'systemUuid'>;

/**
 * Whether facts that are stored under the name of a node are of the machine that it is now. A node may be created anew, or its machine replaced, under the old name: both the UID
 * of the Node and the UUID of the system have to be the same, where both sides know them.
 */
export function areOfNode({ nodeUid, machine: { systemUuid } }: Machine, node: Node): boolean {
  return isNoOther(nodeUid, node.uid) && isNoOther(systemUuid, node.systemUuid);
}

export function foreignFacts({ nodeUid, machine: { systemUuid } }: Machine, node: Node): Reason {
  const evidence = isNoOther(systemUuid, node.systemUuid)
    ? `the node with the UID ${nodeUid}, this one has ${node.uid}`
    : `a machine with the system UUID ${systemUuid}, the kubelet reports ${node.systemUuid}`;
  const message = `What is stored of the hardware is of ${evidence}: it does not count until the agent of this node has written its own. If it lasts, look at its pod.`;
  return { code: 'HardwareOfOtherMachine', message };
}

/** Nor is it known to be the same. */
export const isNoOther = (a: string | undefined, b: string | undefined): boolean => a === undefined || b === undefined || a === b;
