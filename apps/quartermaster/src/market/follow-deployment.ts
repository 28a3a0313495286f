import type { JsonObject } from '@bufbuild/protobuf';
import { marketState } from '@quartermaster/api/states';
import { type Clock, pause, systemClock } from '@quartermaster/kernel';
import { pricesAt, pricesText } from '../fulfillment/kinds/market-text.ts';
import type { ApiConnection } from '../fulfillment/objects/api-connection.ts';
import { belowFilter } from '../fulfillment/objects/object-filter.ts';
import { objectDocument, objectJson } from '../fulfillment/objects/object-json.ts';
import { ObjectFollower } from '../fulfillment/read/object-follower.ts';
import { textAt } from '../text/json-path.ts';

export interface FollowOptions {
  /** Of the deployment. */
  readonly id: string;
  readonly groups: number;
  readonly connect: () => ApiConnection;
  /** A line about something that came or changed. */
  readonly tell: (line: string) => void;
  /** A line about the market itself. */
  readonly warn: (line: string) => void;
  /** Undefined: until it is decided. */
  readonly timeoutMs: number | undefined;
  readonly clock?: Clock | undefined;
}

const followed = ['orders', 'bids', 'leases'] as const;
type FollowedKind = (typeof followed)[number];
type Known = Readonly<Record<FollowedKind, readonly JsonObject[]>>;

export interface Followed {
  /** What there is, ready to be printed for programs. */
  readonly documents: Known;
  /** Newest orders of groups: those that wait for a lease, and those that never get one. */
  readonly open: readonly JsonObject[];
  readonly closed: readonly JsonObject[];
  readonly isDecided: boolean;
}

/** Tells what becomes of the orders of a deployment, until each has a lease or is closed, the time is over or the signal aborts. A market that is away is waited for. */
export async function followDeployment(options: FollowOptions, signal: AbortSignal): Promise<Followed> {
  const { id, connect, tell, warn, timeoutMs, clock = systemClock } = options;
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  const told = new Map<string, string>(); // kind and id -> what was told of it
  const tellNew = (key: string, line: string, say: (line: string) => void): void => {
    if (told.get(key) !== line) say(line);
    told.set(key, line);
  };
  const look = (): void => {
    const away = followers.find(({ link }) => !link.isLive)?.link;
    if (away?.isLive === false && away.lastContactAt !== undefined) tellNew('market', away.reason, warn);
    const known = knownOf(followers);
    for (const kind of followed) for (const object of known[kind]) tellNew(`${kind} ${textAt(object, 'id')}`, lineOf(kind, object), tell);
    if (decide(options, known).isDecided) ended.abort();
  };
  const filter = belowFilter(id);
  const followers = followed.map((kind) => new ObjectFollower({ kind, filter, order: 'id', connect, changed: look, clock }));
  if (timeoutMs !== undefined) void pause(clock, timeoutMs, either).then(() => ended.abort());
  try {
    await Promise.all(followers.map((follower) => follower.run(either)));
  } finally {
    ended.abort();
  }
  const { isDecided, ...groups } = decide(options, knownOf(followers));
  return { ...groups, isDecided, documents: documentsOf(followers) };
}

type Followers = readonly ObjectFollower[];

/** A lease is known once its order and its bid are known to be open no longer: each comes by a stream of its own, and people read them in turn. */
function knownOf([orders, bids, leases]: Followers): Known {
  const known = { orders: jsonOf(orders), bids: jsonOf(bids), leases: jsonOf(leases) };
  const settled = (['orders', 'bids'] as const).flatMap((kind) => known[kind].filter((each) => marketState(each).word !== 'Open'));
  const ids = new Set(settled.map((each) => textAt(each, 'id')));
  const isKnown = (lease: JsonObject): boolean => {
    const [id, provider] = [textAt(lease, 'id'), textAt(lease, 'spec.provider')];
    return ids.has(id) && ids.has(id.slice(0, -`-${provider}`.length));
  };
  return { ...known, leases: known.leases.filter(isKnown) };
}

const jsonOf = (follower: ObjectFollower | undefined): readonly JsonObject[] => {
  const state = follower?.state;
  return state === undefined ? [] : state.items.map((object) => objectJson(state.api.schema, object));
};

function documentsOf(followers: Followers): Known {
  const [orders = [], bids = [], leases = []] = followers.map(({ state }) =>
    state === undefined ? [] : state.items.map((object) => objectDocument(state.api.kind, state.api.schema, object)),
  );
  return { orders, bids, leases };
}

function decide({ groups }: Pick<FollowOptions, 'groups'>, { orders, leases }: Known): Omit<Followed, 'documents'> {
  const newest = new Map<string, JsonObject>(); // gseq -> its last order
  for (const order of orders) {
    const gseq = textAt(order, 'spec.order.gseq');
    const before = newest.get(gseq);
    if (before === undefined || oseqOf(before) < oseqOf(order)) newest.set(gseq, order);
  }
  const hasLease = (order: JsonObject): boolean =>
    leases.some((lease) => textAt(lease, 'id').startsWith(`${textAt(order, 'id')}-`) && marketState(lease).word === 'Active');
  const last = [...newest.values()];
  const closed = last.filter((order) => marketState(order).word === 'Closed');
  const leased = last.filter(hasLease);
  const open = last.filter((order) => !closed.includes(order) && !leased.includes(order));
  return { open, closed, isDecided: closed.length + leased.length === groups };
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
