import type { Reason } from '../../model/node-inventory.ts';

// code of a reason whose message cannot tell what to do -> what would change it, on the node or device that it is about
const ways: Readonly<Record<string, (about: string) => string>> = {
  NotReady: (node) => `find out with "kubectl describe node ${node}" why its kubelet reports an error; it is sold again when it is Ready`,
  Deleting: (node) => `wait until ${node} is gone, or remove what keeps it (finalizers)`,
  Recovering: () => 'wait: it is sold again when it has stayed healthy for a while',
  Unhealthy: (card) => `look at the driver's log for ${card}, reset the card or replace it`,
  DeviceTainted: () => 'remove the taint from its ResourceSlice or DeviceTaintRule when the card is fit again',
  GpuDivided: () => 'turn MIG or time slicing off to sell whole cards again',
};

/** What would change a reason: its own message, where that names what to do already. */
export function wayOut(reason: Reason, about: string): string {
  return ways[reason.code]?.(about) ?? reason.message;
}
