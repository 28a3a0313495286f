/** What belongs together, read in a transaction that holds the lock of its deployment. */
import { type Bid, BidState, type Lease, LeaseState, type Order, OrderState } from '@quartermaster/api/market';
import type { Kind } from '@quartermaster/objects';
import type { StoredObject } from '@quartermaster/store';
import type { Trade } from './trade.ts';

interface BodyRow {
  readonly body: Uint8Array;
}

/** Statements are ours alone: no text from outside gets into them. */
async function readWhere<M extends StoredObject>(
  { tx }: Pick<Trade, 'tx'>,
  { name: kind, store }: Kind<M>,
  name: string,
  where: string,
  id: string,
): Promise<M[]> {
  const statement = { name: `${kind}-${name}`, text: `select body from ${kind} where ${where} order by id` };
  return (await tx.query<BodyRow>(statement, [id])).map(({ body }) => store.decode(body));
}

/** Whatever of a deployment is not over. */
export interface LiveParts {
  readonly orders: readonly Order[];
  readonly bids: readonly Bid[];
  readonly leases: readonly Lease[];
}

/** Leases of a deployment that are not over. */
export async function activeLeases(trade: Pick<Trade, 'tx' | 'kinds'>, deployment: string): Promise<readonly Lease[]> {
  return await readWhere(trade, trade.kinds.leases, 'live', `deployment = $1 and state = ${LeaseState.ACTIVE}`, deployment);
}

export async function liveParts(trade: Trade, deployment: string): Promise<LiveParts> {
  const { orders, bids } = trade.kinds;
  const [live, offered, running] = await Promise.all([
    readWhere(trade, orders, 'live', `deployment = $1 and state in (${OrderState.OPEN}, ${OrderState.ACTIVE})`, deployment),
    readWhere(trade, bids, 'live', `deployment = $1 and state in (${BidState.OPEN}, ${BidState.ACTIVE})`, deployment),
    activeLeases(trade, deployment),
  ]);
  return { orders: live, bids: offered, leases: running };
}

export async function openBidsOn(trade: Trade, order: string): Promise<readonly Bid[]> {
  return await readWhere(trade, trade.kinds.bids, 'open', `order_id = $1 and state = ${BidState.OPEN}`, order);
}

/** Everything that was made of an order. */
export async function partsOfOrder(
  trade: Trade,
  order: string,
): Promise<{ readonly bids: readonly Bid[]; readonly leases: readonly Lease[] }> {
  const [bids, leases] = await Promise.all([
    readWhere(trade, trade.kinds.bids, 'of-order', 'order_id = $1', order),
    readWhere(trade, trade.kinds.leases, 'of-order', 'order_id = $1', order),
  ]);
  return { bids, leases };
}

/** Leases of a group that their providers ended, of which the one that is written now is none. */
export async function providersThatLeft({ tx }: Trade, group: string, ended: number): Promise<ReadonlySet<string>> {
  const statement = { name: 'providers-that-left', text: 'select provider from leases where group_id = $1 and ended_by = $2' };
  return new Set((await tx.query<{ readonly provider: string }>(statement, [group, ended])).map(({ provider }) => provider));
}
