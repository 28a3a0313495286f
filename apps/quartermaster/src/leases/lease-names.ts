import type { RunningLease } from '@quartermaster/api/cluster';
import type { ListNames } from '../server/resource.ts';
import { askLeases, nameOf, readHostnames, readLeases } from './lease-connection.ts';
import { nodesOf } from './lease-list.ts';

const namesIn =
  (pick: (lease: RunningLease) => readonly string[]): ListNames =>
  async (_prefix, flags) => {
    const { leases } = await askLeases(flags, (client) => readLeases(client, {}));
    return [...new Set(leases.flatMap(pick))].toSorted();
  };

export const leaseNames = namesIn((lease) => [nameOf(lease)]);

export const leaseOwners = namesIn(({ order }) => (order === undefined ? [] : [order.owner]));

/** On which something of a lease runs. */
export const leasedNodes = namesIn(nodesOf);

export const leaseNamespaces = namesIn(({ namespace }) => (namespace === '' ? [] : [namespace]));

export const hostnameNames: ListNames = async (_prefix, flags) =>
  (await askLeases(flags, (client) => readHostnames(client, ''))).map(({ hostname }) => hostname);
