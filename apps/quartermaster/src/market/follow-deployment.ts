import type { JsonObject } from '@bufbuild/protobuf';
import { marketState } from '@quartermaster/api/states';
import { hasRun, refusalOf } from '../fulfillment/kinds/delivery-text.ts';
import { pricesAt, pricesText } from '../fulfillment/kinds/market-text.ts';
import { textAt } from '../text/json-path.ts';
import { type FollowBelowOptions, type FollowedBelow, followBelow, type Known, newLines, tellDelivery } from './follow-below.ts';

export interface FollowOptions extends Omit<FollowBelowOptions<FollowedKind>, 'kinds'> {
  readonly groups: number;
  /** A line about something that came or changed. */
  readonly tell: (line: string) => void;
}

const followed = ['orders', 'bids', 'leases'] as const;
type FollowedKind = (typeof followed)[number];

export interface Followed extends Pick<FollowedBelow<FollowedKind>, 'isRead'> {
  /** What there is, ready to be printed for programs. */
  readonly documents: Known<FollowedKind>;
  /** Newest orders of groups: those that wait for a lease, and those that never get one. */
  readonly open: readonly JsonObject[];
  readonly closed: readonly JsonObject[];
  /** Leases of the others: those that have not run yet, and those whose manifest the provider refuses. */
  readonly starting: readonly JsonObject[];
  readonly refused: readonly JsonObject[];
  readonly isDecided: boolean;
}

/** Tells what becomes of the orders of a deployment, until each has a lease that runs or is closed, the time is over or the signal aborts. */
export async function followDeployment(options: FollowOptions, signal: AbortSignal): Promise<Followed> {
  const { tell, groups, ...follow } = options;
  const tellNew = newLines(tell);
  const isOver = (all: Known<FollowedKind>): boolean => {
    const known = settled(all);
    for (const kind of followed) for (const object of known[kind]) tellNew(`${kind} ${textAt(object, 'id')}`, lineOf(kind, object));
    for (const lease of known.leases) tellDelivery(tellNew, lease);
    return decide(groups, known).isDecided;
  };
  const { known, ...rest } = await followBelow({ ...follow, kinds: followed }, isOver, signal);
  return { ...decide(groups, settled(known)), ...rest };
}

/** A lease is known once its order and its bid are known to be open no longer: each comes by a stream of its own, and people read them in turn. */
function settled(known: Known<FollowedKind>): Known<FollowedKind> {
  const over = (['orders', 'bids'] as const).flatMap((kind) => known[kind].filter((each) => marketState(each).word !== 'Open'));
  const ids = new Set(over.map((each) => textAt(each, 'id')));
  const isKnown = (lease: JsonObject): boolean => {
    const [id, provider] = [textAt(lease, 'id'), textAt(lease, 'spec.provider')];
    return ids.has(id) && ids.has(id.slice(0, -`-${provider}`.length));
  };
  return { ...known, leases: known.leases.filter(isKnown) };
}

function decide(groups: number, { orders, leases }: Known<FollowedKind>): Omit<Followed, 'documents' | 'isRead'> {
  const newest = new Map<string, JsonObject>(); // gseq -> its last order
  for (const order of orders) {
    const gseq = textAt(order, 'spec.order.gseq');
    const before = newest.get(gseq);
    if (before === undefined || oseqOf(before) < oseqOf(order)) newest.set(gseq, order);
  }
  const leaseOf = (order: JsonObject): JsonObject | undefined =>
    leases.find((lease) => textAt(lease, 'id').startsWith(`${textAt(order, 'id')}-`) && marketState(lease).word === 'Active');
  const last = [...newest.values()];
  const closed = last.filter((order) => marketState(order).word === 'Closed');
  const leased = last.map(leaseOf).filter((lease) => lease !== undefined);
  const open = last.filter((order) => !closed.includes(order) && leaseOf(order) === undefined);
  const refused = leased.filter((lease) => !hasRun(lease) && refusalOf(lease) !== '');
  const starting = leased.filter((lease) => !hasRun(lease) && !refused.includes(lease));
  const isDecided = closed.length + leased.length === groups && starting.length === 0;
  return { open, closed, starting, refused, isDecided };
}

const oseqOf = (order: JsonObject): number => Number(textAt(order, 'spec.order.oseq'));

function lineOf(kind: FollowedKind, object: JsonObject): string {
  const { word } = marketState(object);
  const id = textAt(object, 'id');
  const why = textAt(object, 'status.closed_reason');
  const end = why === '' ? '' : `: ${why}`;
  if (kind === 'orders') return `order ${id} (group ${textAt(object, 'spec.group_name')}): ${word.toLowerCase()}${end}`;
  return `${kind === 'bids' ? 'bid' : 'lease'} ${id}: ${pricesText(pricesAt(object, 'spec.price'))}, ${word.toLowerCase()}${end}`;
}
