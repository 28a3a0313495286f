import type { DescMessage, Message } from '@bufbuild/protobuf';
import type { Clock } from '@quartermaster/kernel';
import type { Bookmark, Change } from '@quartermaster/store';
import { compileFilter } from '@quartermaster/store/filter';

/** What a watch needs of the feed. */
export interface Changes {
  read(from: string | undefined, signal: AbortSignal): AsyncIterable<Change | Bookmark>;
}

/** What an answer of a watch has in either API. */
export interface WatchAnswer<E extends Message> {
  /** Undefined: a bookmark. */
  readonly event: E | undefined;
  readonly token: string;
}

export interface WatchOptions<E extends Message, A> {
  readonly changes: Changes;
  readonly schema: DescMessage;
  /** Fields of an event that filters cannot name. */
  readonly hidden: (path: readonly string[]) => boolean;
  readonly filter: string;
  /** Empty: from now on. */
  readonly token: string;
  /** The event that a change is for this caller; undefined when it is none. */
  readonly eventOf: (change: Change) => E | undefined;
  /** Whether the caller asked for bookmarks: those of the first releases expect an event in every answer. */
  readonly hasBookmarks: boolean;
  /** Of an event always the same one, for whomever it is. */
  readonly answer: (parts: WatchAnswer<E>) => A;
  readonly clock: Clock;
}

/** Makes answers, of each event one for all watches: so it is encoded once. */
export function sharedAnswers<E extends Message, A extends object>(make: (parts: WatchAnswer<E>) => A): (parts: WatchAnswer<E>) => A {
  const known = new WeakMap<E, A>(); // event -> its answer
  return (parts) => {
    if (parts.event === undefined) return make(parts);
    const made = known.get(parts.event) ?? make(parts);
    known.set(parts.event, made);
    return made;
  };
}

/** A caller that its filter keeps from every event learns so often how far the feed is. */
const bookmarkIntervalMs = 30_000;

/**
 * The events of a feed that pass the filter, each with the token to go on from. For those who ask, the first answer is a bookmark, which shows that the watch has begun; more
 * come while nothing else does, so that a token never grows old.
 */
export async function* watchChanges<E extends Message, A>(
  options: WatchOptions<E, A>,
  signal: AbortSignal,
): AsyncGenerator<A, void, undefined> {
  const { changes, schema, hidden, eventOf, hasBookmarks, answer, clock } = options;
  const root = { variable: 'event', message: schema, hidden };
  const filter = options.filter.trim() === '' ? undefined : compileFilter(options.filter, { roots: [root] });
  let saidAt = clock.monotonic();
  for await (const item of changes.read(options.token === '' ? undefined : options.token, signal)) {
    const event = 'bookmark' in item ? undefined : eventOf(item);
    const token = 'bookmark' in item ? item.bookmark : item.token;
    const isWanted = event !== undefined && (filter === undefined || filter.matches({ event }, new Date(clock.now())));
    if (isWanted) yield answer({ event, token });
    else if (hasBookmarks && ('bookmark' in item || clock.monotonic() - saidAt >= bookmarkIntervalMs))
      yield answer({ event: undefined, token });
    else continue;
    saidAt = clock.monotonic();
  }
}
