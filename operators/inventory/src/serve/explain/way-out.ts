import type { Reason } from '../../model/node-inventory.ts';

// code of a reason -> what would change it, on the node or device that it is about
const ways: Readonly<Record<string, (about: string) => string>> = {
  NotReady: (node) => `find out with "kubectl describe node ${node}" why its kubelet reports an error; it is sold again when it is Ready`,
  ReadyUnknown: (node) => `bring ${node} or its kubelet back; it is sold again when it reports`,
  MemoryPressure: (node) => `free memory on ${node}, or move pods away; it is sold again when the kubelet lifts the condition`,
  DiskPressure: (node) =>
    `free disk space on ${node} (images, logs, ephemeral storage); it is sold again when the kubelet lifts the condition`,
  PIDPressure: (node) => `end runaway processes on ${node}; it is sold again when the kubelet lifts the condition`,
  NetworkUnavailable: (node) => `repair the network plugin on ${node}; it is sold again when the condition is lifted`,
  Cordoned: (node) => `kubectl uncordon ${node}`,
  Tainted: (node) => `remove the taint with "kubectl taint node ${node} <key>-", or list it under tolerated_taints in the configuration`,
  Excluded: () => 'remove the pattern that matches it from exclude.nodes in the configuration',
  Deleting: (node) => `wait until ${node} is gone, or remove what keeps it (finalizers)`,
  Recovering: () => 'wait: it is sold again when it has stayed healthy for a while',
  Unhealthy: (card) => `look at the driver's log for ${card}, reset the card or replace it`,
  DeviceTainted: () => 'remove the taint from its ResourceSlice or DeviceTaintRule when the card is fit again',
  GpuDivided: () => 'turn MIG or time slicing off to sell whole cards again',
  OverAllocated: (node) => `move pods away from ${node} or shrink them until what they ask for fits`,
};

/** What would change a reason. One that is not known here, as all of storage, says so itself: messages name what to do. */
export function wayOut(reason: Reason, about: string): string {
  return ways[reason.code]?.(about) ?? reason.message;
}
