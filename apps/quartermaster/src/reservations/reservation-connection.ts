import { type Reservation, type ReservationPhase, ReservationService } from '@quartermaster/api/cluster';
import { orderText } from '@quartermaster/api/states';
import { StatusError } from '@quartermaster/kernel';
import type { ServiceClient } from '@quartermaster/rpc';
import { findServer } from '../server/find-server.ts';
import { connectTo, using } from '../server/server-connection.ts';
import type { ServerFlags } from '../server/server-flags.ts';
import { isNamedAfter, type Order, parseObjectName, parseOrder } from './order-name.ts';

export type ReservationClient = ServiceClient<typeof ReservationService>;

/** Asks once. What goes wrong is told as one line that names the way out. */
export async function askReservations<T>(flags: ServerFlags, ask: (client: ReservationClient) => Promise<T>): Promise<T> {
  const connection = connectTo('cluster', findServer('cluster', flags, process.env));
  return await using(connection, (open) => ask(open.client(ReservationService)));
}

/** All that are given must hold. */
export interface ReservationFilter {
  readonly owner?: string | undefined;
  readonly phase?: ReservationPhase | undefined;
  readonly node?: string | undefined;
  readonly condition?: string | undefined;
}

const pageSize = 1000;

/** All pages. */
export async function readReservations(
  client: ReservationClient,
  { owner = '', phase = 0, node = '', condition = '' }: ReservationFilter,
  signal?: AbortSignal,
): Promise<readonly Reservation[]> {
  const found: Reservation[] = [];
  for (let pageToken = ''; ; ) {
    const page = await client.listReservations({ owner, phase, node, condition, pageSize, pageToken }, { signal });
    for (const each of page.reservations) found.push(each);
    pageToken = page.nextPageToken;
    if (pageToken === '') return found;
  }
}

/** By order or by the name of its object. Throws `not_found` where there is none. */
export async function findReservation(client: ReservationClient, typed: string, signal?: AbortSignal): Promise<Reservation> {
  if (typed.includes('/')) return (await readReservation(client, parseOrder(typed), signal)) ?? missing(typed);
  const name = parseObjectName(typed) ?? parseOrder(typed);
  const literal = await readReservation(client, name, signal);
  if (literal !== undefined) return literal;
  // Only a name with a hash is another one than the order's own.
  if (!name.owner.includes('.')) return missing(typed);
  const [first, second] = (await readReservations(client, {}, signal)).filter(
    ({ order }) => order !== undefined && isNamedAfter(order, name),
  );
  if (first === undefined) return missing(typed);
  if (second === undefined) return first;
  const orders = [first, second].map(nameOf).join(' or ');
  throw new StatusError('invalid_argument', `reservation ${typed} may be that of several orders: say ${orders}`);
}

/** Undefined where there is none. */
export async function readReservation(client: ReservationClient, order: Order, signal?: AbortSignal): Promise<Reservation | undefined> {
  try {
    return (await client.getReservation({ order }, { signal })).reservation;
  } catch (thrown) {
    if (thrown instanceof StatusError && thrown.code === 'not_found') return undefined;
    throw thrown;
  }
}

/** What commands call it: its order. */
export const nameOf = ({ order, uid }: Pick<Reservation, 'order' | 'uid'>): string => (order === undefined ? uid : orderText(order));

export function missingReservations(names: readonly string[]): StatusError {
  const text = names.length === 1 ? `reservation ${names[0]} does not exist` : `reservations ${names.join(', ')} do not exist`;
  return new StatusError('not_found', `${text}: "quartermaster get reservations" lists those that do`);
}

function missing(name: string): never {
  throw missingReservations([name]);
}
