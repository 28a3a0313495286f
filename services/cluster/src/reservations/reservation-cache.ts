import { type Reservation as ReservationObject, reservationType } from '@quartermaster/api/reservation';
import { type Source, sourceOf } from '@quartermaster/controller';
import { messageOf } from '@quartermaster/kernel';
import type { Cache, CacheOpener, ReadableCache } from '@quartermaster/kube';
import type { Book } from '../book/reservation-book.ts';
import { isOlder } from '../model/object-version.ts';
import type { Reservation } from '../model/reservation.ts';
import type { Reason } from '../placement/stock-facts.ts';
import { readReservation } from './reservation-object.ts';

export type ReservationBook = Pick<Book, 'setReservation' | 'removeReservation' | 'reservation' | 'reservations'>;

/** A copy of all reservations that follows the API server. */
export type WatchedReservations = ReadableCache<Reservation> & Pick<Cache<Reservation>, 'unreadable' | 'stale' | 'stop'>;

export const watchReservations = (caches: CacheOpener): WatchedReservations =>
  caches.open({ type: reservationType, project: readReservation });

/** A watch that is behind by more deletions than this shows some of them again, until it has caught up. */
const keptUids = 10_000;

/**
 * Brings what the API server says of reservations into the book of this replica: by a watch, and by the answers to its own writes, which are there at once. An event of the
 * watch that is older than an answer changes nothing, and an object that is gone does not come back: neither by a late event nor by a late answer.
 */
export class ReservationCache {
  /** The names of those that change, for controllers. */
  readonly source: Source;
  readonly #book: ReservationBook;
  readonly #cache: WatchedReservations;
  /** Answers that the watch has not caught up with. */
  readonly #answers = new Map<string, { readonly uid: string; readonly resourceVersion: string }>();
  /** What the book says of them is what is being tried: name -> what stood there before. */
  readonly #attempts = new Map<string, Reservation | undefined>();
  /** UIDs, the oldest first. */
  readonly #gone = new Set<string>();
  readonly #uncounted = new Map<string, { readonly uid: string; readonly reason: string }>(); // name -> why the book does not count it

  constructor(watched: WatchedReservations, book: ReservationBook) {
    this.#book = book;
    this.#cache = watched;
    this.source = sourceOf(this.#cache);
    this.#cache.subscribe({
      added: ({ value }) => this.#observe(value),
      updated: ({ value }) => this.#observe(value),
      deleted: ({ key, uid }) => this.removed(key, uid),
    });
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#cache.whenSynced(signal);
  }

  /** Whether all of them were read once. */
  get isRead(): boolean {
    return this.#cache.status().synced;
  }

  /** The server does not know the kind. */
  get isAbsent(): boolean {
    return this.#cache.status().absent;
  }

  /** Objects of which nobody can say what they hold, each with the reason. Their last good state stays in the book. */
  unreadable(): readonly { readonly name: string; readonly reason: string }[] {
    const read = this.#cache.unreadable().map(({ key, reason }) => ({ name: key, reason }));
    return [...read, ...Array.from(this.#uncounted, ([name, { reason }]) => ({ name, reason }))];
  }

  /** Why nothing new may be promised by what is known of reservations; undefined when all of them are counted. */
  problem(): Reason | undefined {
    if (this.isAbsent)
      return {
        code: 'ReservationsUnknown',
        message: 'the cluster does not know the kind Reservation: apply what `quartermaster manifests service-cluster` prints',
      };
    if (!this.isRead)
      return { code: 'ReservationsUnknown', message: 'the reservations of the cluster have not been read yet: ask again in a moment' };
    const [first, ...others] = this.unreadable();
    if (first === undefined) return undefined;
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
    return {
      code: 'ReservationUnreadable',
      message: `what Reservation ${first.name}${more} holds is unknown: ${first.reason}; mend or delete the object`,
    };
  }

  /** Why what is shown here may be old; undefined while the server is followed. A leader knows what it has written itself. */
  stale(): Reason | undefined {
    const lost = this.#cache.stale();
    if (lost === undefined) return undefined;
    const since = lost.lastContactAt === undefined ? '' : ` at ${new Date(lost.lastContactAt).toISOString()}`;
    return { code: 'ReservationsStale', message: `reservations are shown as they were last heard of${since}: ${lost.reason}` };
  }

  /** Counts what is about to be written in place of what is there. Until its fate is known, the watch changes nothing of it. */
  hold(attempt: Reservation): void {
    this.#attempts.set(attempt.name, this.#book.reservation(attempt.name));
    this.#book.setReservation(attempt);
  }

  /** Nothing came of the attempt. Without one nothing happens. */
  release(name: string): void {
    if (!this.#attempts.has(name)) return;
    this.#settle(name);
    this.#catchUp(name);
  }

  /** Nobody is left who would learn what became of them. */
  releaseAll(): void {
    for (const name of [...this.#attempts.keys()]) this.release(name);
  }

  /** An answer of the server. What stands now, which may be newer; undefined when it is gone already. */
  wrote(object: ReservationObject): Reservation | undefined {
    const answer = readReservation(object);
    const { name, uid, resourceVersion } = answer;
    this.#settle(name);
    const known = this.#book.reservation(name);
    if (!this.#gone.has(uid) && !(known !== undefined && isOlder(answer, known))) {
      this.#answers.set(name, { uid, resourceVersion });
      this.#set(answer);
    }
    this.#catchUp(name);
    const stands = this.#book.reservation(name);
    return stands?.uid === uid ? stands : undefined;
  }

  /** Gives back what it held, at once. */
  removed(name: string, uid: string): void {
    this.#gone.add(uid);
    const [oldest] = this.#gone;
    if (this.#gone.size > keptUids && oldest !== undefined) this.#gone.delete(oldest);
    if (this.#answers.get(name)?.uid === uid) this.#answers.delete(name);
    if (this.#uncounted.get(name)?.uid === uid) this.#uncounted.delete(name);
    if (this.#attempts.get(name)?.uid === uid) this.#settle(name);
    if (this.#book.reservation(name)?.uid === uid) this.#book.removeReservation(name);
    this.#catchUp(name);
  }

  /** Before a list that says what there is: a server that was restored from a backup may have brought something back. */
  forgetRemoved(): void {
    this.#gone.clear();
  }

  stop(): Promise<void> {
    return this.#cache.stop();
  }

  /** Puts back what stood there before the attempt. */
  #settle(name: string): void {
    if (!this.#attempts.has(name)) return;
    const before = this.#attempts.get(name);
    this.#attempts.delete(name);
    if (before === undefined || this.#gone.has(before.uid)) this.#book.removeReservation(name);
    else this.#set(before);
  }

  #catchUp(name: string): void {
    const entry = this.#cache.get(name);
    if (entry !== undefined) this.#observe(entry.value);
  }

  #observe(seen: Reservation): void {
    if (this.#gone.has(seen.uid)) return;
    const answer = this.#answers.get(seen.name);
    if (answer !== undefined && isOlder(seen, answer)) return;
    if (this.#attempts.has(seen.name)) return;
    this.#answers.delete(seen.name);
    const known = this.#book.reservation(seen.name);
    if (known?.uid !== seen.uid || known.resourceVersion !== seen.resourceVersion) this.#set(seen);
  }

  #set(reservation: Reservation): void {
    try {
      this.#book.setReservation(reservation);
      this.#uncounted.delete(reservation.name);
    } catch (thrown) {
      this.#uncounted.set(reservation.name, { uid: reservation.uid, reason: messageOf(thrown) });
    }
  }
}
