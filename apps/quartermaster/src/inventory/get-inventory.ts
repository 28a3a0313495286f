import type { Allocation, Snapshot } from '@quartermaster/api/inventory';
import { StatusError } from '@quartermaster/kernel';
import type { ServerFlags } from '../server/server-flags.ts';
import type { ListView } from '../text/listing.ts';
import type { Output } from '../text/output.ts';
import { type ListFlags, type ListSource, showList } from '../text/show-list.ts';
import { allocationView } from './allocation-list.ts';
import { gpuView } from './gpu-list.ts';
import { askInventory, connectInventory, type InventoryClient, readAllocations, readSnapshot } from './inventory-connection.ts';
import { nodeView } from './node-list.ts';
import { storageView } from './storage-list.ts';
import { watchInventory } from './watch-inventory.ts';

export type GetFlags = ServerFlags & ListFlags;

export interface AllocationFlags extends GetFlags {
  readonly node?: string | undefined;
  readonly namespace?: string | undefined;
  readonly lease?: string | undefined;
  readonly device?: string | undefined;
}

/** Nodes by name, or all. Those that do not exist are an error after the others were printed. */
export async function getNodes(names: readonly string[], flags: GetFlags, output: Output, signal: AbortSignal): Promise<void> {
  const missing = ({ nodes }: Snapshot): Error | undefined => {
    const known = new Set(nodes.map(({ name }) => name));
    const missingNames = names.filter((name) => !known.has(name));
    return missingNames.length === 0 ? undefined : missingNodes(missingNames);
  };
  await showList({ ...ofSnapshot(nodeView(names), flags), missing }, flags, output, signal);
}

export async function getGpus(_args: readonly string[], flags: GetFlags, output: Output, signal: AbortSignal): Promise<void> {
  await showList(ofSnapshot(gpuView(), flags), flags, output, signal);
}

export async function getStorage(_args: readonly string[], flags: GetFlags, output: Output, signal: AbortSignal): Promise<void> {
  await showList(ofSnapshot(storageView(), flags), flags, output, signal);
}

export async function getAllocations(_args: readonly string[], flags: AllocationFlags, output: Output, signal: AbortSignal): Promise<void> {
  const { node, namespace, lease: leaseLabel, device } = flags;
  const read = (client: InventoryClient): Promise<readonly Allocation[]> =>
    readAllocations(client, { node, namespace, leaseLabel, device });
  const source = sourceOf(allocationView(), flags, read, (_snapshot, client) => read(client));
  await showList(source, flags, output, signal);
}

export function missingNodes(names: readonly string[]): StatusError {
  const text = names.length === 1 ? `node ${names[0]} does not exist` : `nodes ${names.join(', ')} do not exist`;
  return new StatusError('not_found', `${text}: "quartermaster get nodes" lists those that do`);
}

const ofSnapshot = (view: ListView<Snapshot>, flags: GetFlags): ListSource<Snapshot> =>
  sourceOf(view, flags, readSnapshot, (snapshot) => snapshot);

/** `follow` is what is to be shown of a new inventory. */
function sourceOf<State>(
  view: ListView<State>,
  flags: GetFlags,
  read: (client: InventoryClient) => Promise<State>,
  follow: (snapshot: Snapshot, client: InventoryClient) => Promise<State> | State,
): ListSource<State> {
  return { view, read: () => askInventory(flags, read), watch: () => watchInventory({ connect: () => connectInventory(flags), follow }) };
}
