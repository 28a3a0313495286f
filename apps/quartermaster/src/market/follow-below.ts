import type { JsonObject } from '@bufbuild/protobuf';
import { type Clock, pause, systemClock } from '@quartermaster/kernel';
import { deliveryLines } from '../fulfillment/kinds/delivery-text.ts';
import type { MarketPlural } from '../fulfillment/kinds/kind.ts';
import type { ApiConnection } from '../fulfillment/objects/api-connection.ts';
import { belowFilter } from '../fulfillment/objects/object-filter.ts';
import { objectDocument, objectJson } from '../fulfillment/objects/object-json.ts';
import { ObjectFollower } from '../fulfillment/read/object-follower.ts';
import { textAt } from '../text/json-path.ts';

export interface FollowBelowOptions<Plural extends MarketPlural> {
  /** Of the deployment. */
  readonly id: string;
  readonly kinds: readonly Plural[];
  readonly connect: () => ApiConnection;
  /** A line about the market itself. */
  readonly warn: (line: string) => void;
  /** Undefined: until it is over. */
  readonly timeoutMs: number | undefined;
  readonly clock?: Clock | undefined;
}

/** What is known of each kind, by ids. */
export type Known<Plural extends MarketPlural> = Readonly<Record<Plural, readonly JsonObject[]>>;

export interface FollowedBelow<Plural extends MarketPlural> {
  /** Whether the market has answered at all. Where it has not, that nothing is known does not mean that there is nothing. */
  readonly isRead: boolean;
  readonly known: Known<Plural>;
  /** The same, ready to be printed for programs. */
  readonly documents: Known<Plural>;
}

/**
 * Calls `isOver` with what belongs to a deployment once all of it was read and whenever it changes, until that says so, the time is over or the signal
 * aborts. A market that is away is waited for.
 */
export async function followBelow<Plural extends MarketPlural>(
  options: FollowBelowOptions<Plural>,
  isOver: (known: Known<Plural>) => boolean,
  signal: AbortSignal,
): Promise<FollowedBelow<Plural>> {
  const { id, kinds, connect, warn, timeoutMs, clock = systemClock } = options;
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  const warnNew = newLines(warn);
  const changed = (): void => {
    const away = followers.find(({ breakReason }) => breakReason !== undefined)?.breakReason;
    if (away !== undefined) warnNew('market', away);
    if (isRead() && isOver(ofEach(jsonOf))) ended.abort();
  };
  const isRead = (): boolean => followers.every(({ state }) => state !== undefined);
  const filter = belowFilter(id);
  const followers = kinds.map((kind) => new ObjectFollower({ kind, filter, order: 'id', connect, changed, clock }));
  const ofEach = (read: (follower: ObjectFollower | undefined) => readonly JsonObject[]): Known<Plural> =>
    Object.fromEntries(kinds.map((kind, index) => [kind, read(followers[index])])) as Known<Plural>;
  if (timeoutMs !== undefined) void pause(clock, timeoutMs, either).then(() => ended.abort());
  try {
    await Promise.all(followers.map((follower) => follower.run(either)));
  } finally {
    ended.abort();
  }
  return { isRead: isRead(), known: ofEach(jsonOf), documents: ofEach(documentsOf) };
}

/** Why nothing was read, where nothing was; `signal` is that of `followBelow`. */
export const unansweredText = (signal: AbortSignal): string =>
  signal.aborted ? 'interrupted before the market answered' : 'the market did not answer within the time-out';

/** Tells a line about something unless it is the last that was told of it. */
export function newLines(tell: (line: string) => void): (key: string, line: string) => void {
  const told = new Map<string, string>(); // key -> what was told of it
  return (key, line) => {
    if (line !== '' && told.get(key) !== line) tell(line);
    told.set(key, line);
  };
}

/** Tells how a lease goes: what is wrong with it once, and the rest whenever it is something else. */
export function tellDelivery(tellNew: (key: string, line: string) => void, lease: JsonObject): void {
  const [line = '', ...problems] = deliveryLines(lease);
  tellNew(`delivery ${textAt(lease, 'id')}`, line);
  for (const problem of problems) tellNew(problem, problem);
}

const jsonOf = (follower: ObjectFollower | undefined): readonly JsonObject[] => {
  const state = follower?.state;
  return state === undefined ? [] : state.items.map((object) => objectJson(state.api.schema, object));
};

const documentsOf = (follower: ObjectFollower | undefined): readonly JsonObject[] => {
  const state = follower?.state;
  return state === undefined ? [] : state.items.map((object) => objectDocument(state.api.kind, state.api.schema, object));
};
