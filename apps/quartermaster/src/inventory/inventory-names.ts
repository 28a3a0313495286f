import type { Snapshot } from '@quartermaster/api/inventory';
import type { ListNames } from '../server/resource.ts';
import { askInventory, readSnapshot } from './inventory-connection.ts';

const namesIn =
  (pick: (snapshot: Snapshot) => readonly string[]): ListNames =>
  async (_prefix, flags) =>
    await askInventory(flags, async (client) => pick(await readSnapshot(client)));

export const nodeNames = namesIn(({ nodes }) => nodes.map(({ name }) => name));

/** Models and single cards. */
export const gpuNames = namesIn(({ nodes }) => [
  ...new Set(nodes.flatMap(({ gpus, devices }) => [...gpus.map(({ model }) => model), ...devices.map(({ id }) => id)])),
]);

export const classNames = namesIn(({ storage }) => storage.map(({ name }) => name));
