import { StatusError } from '@quartermaster/kernel';
import type { ServerFlags } from '../server/server-flags.ts';
import type { Output } from '../text/output.ts';
import { paintFor } from '../text/paint.ts';
import { askInventory } from './inventory-connection.ts';
import { findServer } from './inventory-server.ts';
import { nodeDescription } from './node-description.ts';
import { readAllocations, readSnapshot } from './read-inventory.ts';

export async function describeNode(name: string, flags: ServerFlags & { readonly exact: boolean }, { out }: Output): Promise<void> {
  const described = await askInventory(findServer(flags, process.env), async (client) => {
    const [snapshot, allocations] = await Promise.all([readSnapshot(client), readAllocations(client, { node: name })]);
    const node = snapshot.nodes.find((each) => each.name === name);
    if (node === undefined) {
      throw new StatusError('not_found', `node ${name} does not exist: "quartermaster get nodes" lists those that do`);
    }
    return { node, storage: snapshot.storage, allocations, completeness: snapshot.completeness };
  });
  out.write(nodeDescription(described, { exact: flags.exact, wide: true, now: Date.now(), paint: paintFor(out) }));
}
