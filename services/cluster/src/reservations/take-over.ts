import { type Reservation as ReservationObject, reservationType } from '@quartermaster/api/reservation';
import { Backoff, type Clock, defineSteps, type Log, limit, messageOf, type Random, StatusError, sleep } from '@quartermaster/kernel';
import { isFailure, type KubeClient, type Leadership } from '@quartermaster/kube';
import type { ReservationCache } from './reservation-cache.ts';
import { isConfirmed, readReservation } from './reservation-object.ts';
import { hasMovedOn, type ReservationObjects } from './reservation-objects.ts';

export interface TakeOverOptions {
  readonly reader: Pick<KubeClient, 'find' | 'pages'>;
  readonly objects: ReservationObjects;
  readonly cache: ReservationCache;
  readonly leadership: Pick<Leadership, 'term'>;
  /** Of the term. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

const steps = defineSteps('take-over', ['listed', 'dropped', 'claimed', 'done']);
const backoff = { firstMs: 50, maxMs: 2_000, factor: 2 };
const atOnce = 16;

/**
 * Makes everything count that was promised before, and nothing else. Afterwards no former leader can add to it, wherever it was paused:
 *
 * - An attempt is deleted in the state in which it was seen, so that either this or its confirmation happens. One that arrives later is confirmed by nobody: whoever made it
 *   asks the server for the lease before the second write.
 * - A promise gets the new term, so that no plan that was made before can take its place, and nobody deletes it who decided so before.
 *
 * Returns the term of this leader's own writes.
 */
export async function takeOver(options: TakeOverOptions): Promise<number> {
  const { cache, leadership, signal, log } = options;
  await cache.whenSynced(signal);
  const found = await persistently(options, 'list', () => listAll(options));
  const term = found.reduce((highest, { spec }) => Math.max(highest, spec?.term ?? 0), leadership.term) + 1;
  await steps.reached('listed');
  const limited = limit(atOnce);
  await Promise.all(found.map((object) => limited(() => persistently(options, nameOf(object), () => settle(options, object, term)))));
  await steps.reached('done');
  log.info('took over the reservations', { term, reservations: found.length });
  return term;
}

/** As the quorum has them: any of them may be missing in what was watched so far. */
async function listAll({ reader, cache, signal }: TakeOverOptions): Promise<readonly ReservationObject[]> {
  cache.forgetRemoved();
  const found: ReservationObject[] = [];
  for await (const { items } of reader.pages(reservationType, { signal })) found.push(...items);
  const unreadable = new Set(cache.unreadable().map(({ name }) => name));
  for (const object of found) {
    if (isReadable(object)) cache.wrote(object);
    // Nothing is promised while it is unknown what one holds, which the cache sees to: as soon as it has seen it, too.
    else if (isConfirmed(object) && !unreadable.has(nameOf(object)))
      throw new StatusError('unavailable', `Reservation ${nameOf(object)} cannot be read, and the watch is behind`);
  }
  return found;
}

/** The first state is the listed one; when that has moved on, the present one is looked at. */
async function settle({ reader, objects, cache, signal }: TakeOverOptions, listed: ReservationObject, term: number): Promise<void> {
  const uid = listed.metadata?.uid ?? '';
  for (let object: ReservationObject | undefined = listed; ; ) {
    try {
      return await settleState(objects, object, term);
    } catch (thrown) {
      if (!hasMovedOn(thrown)) throw thrown;
    }
    object = await reader.find(reservationType, { name: nameOf(listed) }, { signal });
    if (object?.metadata?.uid !== uid) cache.removed(nameOf(listed), uid);
    if (object === undefined) return;
    if (isReadable(object)) cache.wrote(object);
  }
}

async function settleState(objects: ReservationObjects, object: ReservationObject, term: number): Promise<void> {
  const state = { name: nameOf(object), uid: object.metadata?.uid ?? '', resourceVersion: object.metadata?.resourceVersion ?? '' };
  if (!isConfirmed(object)) {
    await objects.delete(state);
    await steps.reached('dropped');
  } else if (isReadable(object)) {
    await objects.setTerm(state, term);
    await steps.reached('claimed');
  }
}

/** Until it succeeds, or the term ends: nothing is promised before. */
async function persistently<T>({ clock, random, log, signal }: TakeOverOptions, what: string, work: () => Promise<T>): Promise<T> {
  const wait = new Backoff(backoff, random);
  for (;;) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (thrown) {
      if (signal.aborted || isFailure(thrown, 'lease-lost')) throw thrown;
      log.warn('taking over the reservations failed; trying again', { what, error: messageOf(thrown) });
    }
    await sleep(clock, wait.nextMs(), signal);
  }
}

function isReadable(object: ReservationObject): boolean {
  try {
    readReservation(object);
    return true;
  } catch {
    return false;
  }
}

const nameOf = ({ metadata }: ReservationObject): string => metadata?.name ?? '';
