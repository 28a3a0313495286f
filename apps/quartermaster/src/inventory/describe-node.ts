import type { ServerFlags } from '../server/server-flags.ts';
import type { Output } from '../text/output.ts';
import { paintFor } from '../text/paint.ts';
import { missingNodes } from './get-inventory.ts';
import { askInventory, readAllocations, readSnapshot } from './inventory-connection.ts';
import { nodeDescription } from './node-description.ts';

export async function describeNode(
  [name = '']: readonly string[],
  flags: ServerFlags & { readonly exact: boolean },
  { out }: Output,
): Promise<void> {
  const described = await askInventory(flags, async (client) => {
    const [snapshot, allocations] = await Promise.all([readSnapshot(client), readAllocations(client, { node: name })]);
    const node = snapshot.nodes.find((each) => each.name === name);
    if (node === undefined) throw missingNodes([name]);
    return { node, storage: snapshot.storage, allocations, completeness: snapshot.completeness };
  });
  out.write(nodeDescription(described, { exact: flags.exact, wide: true, now: Date.now(), paint: paintFor(out) }));
}
