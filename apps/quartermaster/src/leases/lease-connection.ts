import {
  type ClaimedHostname,
  type LeaseProblem,
  type LeaseRunState,
  LeaseService,
  type RunningLease,
  type TenantShell,
} from '@quartermaster/api/cluster';
import { orderText } from '@quartermaster/api/states';
import { StatusError } from '@quartermaster/kernel';
import type { ServiceClient } from '@quartermaster/rpc';
import { isNamedAfter, type Order, parseObjectName, parseOrder } from '../reservations/order-name.ts';
import { findServer } from '../server/find-server.ts';
import { connectTo, using } from '../server/server-connection.ts';
import type { ServerFlags } from '../server/server-flags.ts';

export type LeaseClient = ServiceClient<typeof LeaseService>;

/** Asks once. What goes wrong is told as one line that names the way out. */
export async function askLeases<T>(flags: ServerFlags, ask: (client: LeaseClient) => Promise<T>): Promise<T> {
  const connection = connectTo('cluster', findServer('cluster', flags, process.env));
  return await using(connection, async (open) => {
    try {
      return await ask(open.client(LeaseService));
    } catch (thrown) {
      throw isTenant(thrown)
        ? new StatusError('permission_denied', `this is the provider's view; "quartermaster get leases" shows yours`, { cause: thrown })
        : thrown;
    }
  });
}

/** The cluster service knows no tenants, and says so of a token of one. */
const isTenant = (thrown: unknown): boolean =>
  thrown instanceof StatusError && thrown.code === 'permission_denied' && / has the role tenant\b/.test(thrown.message);

/** All that are given must hold. */
export interface LeaseFilter {
  readonly owner?: string | undefined;
  readonly state?: LeaseRunState | undefined;
  readonly node?: string | undefined;
  readonly namespace?: string | undefined;
}

/** What the cluster service says of the leases of this provider. */
export interface FoundLeases {
  readonly leases: readonly RunningLease[];
  /** What it does not follow right now. */
  readonly stale: readonly string[];
  /** Namespaces that look like a lease's and are ignored. */
  readonly strangers: readonly LeaseProblem[];
}

const pageSize = 1000;

/** All pages, with what runs of each. */
export async function readLeases(
  client: LeaseClient,
  { owner = '', state = 0, node = '', namespace = '' }: LeaseFilter,
  signal?: AbortSignal,
): Promise<FoundLeases> {
  const leases: RunningLease[] = [];
  for (let pageToken = ''; ; ) {
    const page = await client.listLeases({ owner, state, node, namespace, details: true, pageSize, pageToken }, { signal });
    for (const each of page.leases) leases.push(each);
    pageToken = page.nextPageToken;
    if (pageToken === '') return { leases, stale: page.stale, strangers: page.strangers };
  }
}

/** By its order, by the name that objects of it have, or by its ID at the market. Throws `not_found` where there is none. */
export async function findLease(client: LeaseClient, typed: string, signal?: AbortSignal): Promise<RunningLease> {
  if (typed.includes('/')) return (await readLease(client, parseOrder(typed), signal)) ?? missing(typed);
  const name = parseObjectName(typed.replace(/^lease-/, ''));
  const isMarketId = /^\d+-\d+-\d+-./.test(typed);
  if (name === undefined && !isMarketId) parseOrder(typed);
  const literal = name && (await readLease(client, name, signal));
  if (literal !== undefined) return literal;
  // Only a name with a hash is another one than the order's own.
  const hashed = name?.owner.includes('.') === true ? name : undefined;
  if (hashed === undefined && !isMarketId) return missing(typed);
  const [first, second] = (await readLeases(client, {}, signal)).leases.filter(
    ({ order, provider }) =>
      order !== undefined &&
      (hashed === undefined ? typed === `${order.dseq}-${order.gseq}-${order.oseq}-${provider}` : isNamedAfter(order, hashed)),
  );
  if (first === undefined) return missing(typed);
  if (second === undefined) return first;
  throw new StatusError('invalid_argument', `lease ${typed} may be one of several: say ${[first, second].map(nameOf).join(' or ')}`);
}

async function readLease(client: LeaseClient, order: Order, signal?: AbortSignal): Promise<RunningLease | undefined> {
  try {
    return (await client.getLease({ order }, { signal })).lease;
  } catch (thrown) {
    if (thrown instanceof StatusError && thrown.code === 'not_found') return undefined;
    throw thrown;
  }
}

/** What commands call it: its order. */
export const nameOf = ({ order, namespace }: Pick<RunningLease, 'order' | 'namespace'>): string =>
  order === undefined ? namespace : orderText(order);

/** The same of the name that objects of a lease have; `-` for none. Without the owner, a name with a hash stays as it is. */
export function leaseText(objectName: string, owner = ''): string {
  const name = parseObjectName(objectName);
  if (name === undefined || (owner === '' && name.owner.includes('.'))) return objectName === '' ? '-' : objectName;
  return orderText({ ...name, owner: owner === '' ? name.owner : owner });
}

export function missingLeases(names: readonly string[]): StatusError {
  const text = names.length === 1 ? `lease ${names[0]} is` : `leases ${names.join(', ')} are`;
  return new StatusError('not_found', `${text} not of this provider: "quartermaster get running-leases" lists those that are`);
}

function missing(name: string): never {
  throw missingLeases([name]);
}

/** All pages. */
export async function readHostnames(client: LeaseClient, owner: string, signal?: AbortSignal): Promise<readonly ClaimedHostname[]> {
  const found: ClaimedHostname[] = [];
  for (let pageToken = ''; ; ) {
    const page = await client.listHostnames({ owner, pageSize, pageToken }, { signal });
    for (const each of page.hostnames) found.push(each);
    pageToken = page.nextPageToken;
    if (pageToken === '') return found;
  }
}

/** All pages, the newest first: of an account, of a lease, or of all. */
export async function readShells(
  client: LeaseClient,
  { owner = '', order }: { readonly owner?: string | undefined; readonly order?: Order | undefined },
  signal?: AbortSignal,
): Promise<readonly TenantShell[]> {
  const found: TenantShell[] = [];
  for (let pageToken = ''; ; ) {
    const page = await client.listShells({ owner, order, pageSize, pageToken }, { signal });
    for (const each of page.shells) found.push(each);
    pageToken = page.nextPageToken;
    if (pageToken === '') return found;
  }
}
