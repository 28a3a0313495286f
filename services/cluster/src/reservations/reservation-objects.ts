import { type Reservation as ReservationObject, type ReservationStatus, reservationType } from '@quartermaster/api/reservation';
import { defineSteps, StatusError } from '@quartermaster/kernel';
import { failureOf, isFailure, type KubeReader, type KubeWriter } from '@quartermaster/kube';
import { fieldManager } from '../model/field-manager.ts';
import type { Reservation } from '../model/reservation.ts';
import type { Plan } from '../placement/plan.ts';
import type { ReservationCache } from './reservation-cache.ts';
import { readReservation, specOf } from './reservation-object.ts';

/** One state of one object. */
export interface ObjectState {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** What was read, before anything is made of it. */
export interface Look {
  readonly reservation: Reservation;
  take(): Reservation;
}

const steps = defineSteps('unreserve', ['decided', 'deleted']);

/** The writes of one term. Each takes effect in the book in the same turn in which the server's answer arrives. */
export class ReservationObjects {
  readonly #reader: Pick<KubeReader, 'find'>;
  readonly #writer: KubeWriter;
  readonly #cache: ReservationCache;
  readonly #signal: AbortSignal;

  constructor(reader: Pick<KubeReader, 'find'>, writer: KubeWriter, cache: ReservationCache, signal: AbortSignal) {
    this.#reader = reader;
    this.#writer = writer;
    this.#cache = cache;
    this.#signal = signal;
  }

  /** The newest state; the book has it once it is taken. */
  async look(name: string): Promise<Look | undefined> {
    const found = await this.#reader.find(reservationType, { name }, { signal: this.#signal });
    if (found === undefined) return undefined;
    const reservation = readReservation(found);
    return { reservation, take: () => this.#cache.wrote(found) ?? reservation };
  }

  /** Brings what became of this one into the book, and what may have its name now. */
  async learn({ name, uid }: Pick<ObjectState, 'name' | 'uid'>): Promise<Reservation | undefined> {
    const found = await this.look(name);
    if (found?.reservation.uid !== uid) this.#cache.removed(name, uid);
    return found?.take();
  }

  async create(attempt: Reservation): Promise<Reservation> {
    const object = { metadata: { name: attempt.name }, spec: specOf(attempt) };
    return this.#stands(await this.#writer.create(reservationType, object, { fieldManager, fieldValidation: 'Strict' }));
  }

  async setStatus({ name, resourceVersion }: ObjectState, status: ReservationStatus): Promise<Reservation> {
    return await this.#patch(name, { metadata: { resourceVersion }, status }, 'status');
  }

  async setPlan({ name, resourceVersion }: ObjectState, plan: Plan, of: Reservation): Promise<Reservation> {
    return await this.#patch(name, { metadata: { resourceVersion }, spec: { plan: specOf({ ...of, plan }).plan, term: of.term } });
  }

  /** Whoever led before cannot write it any more: it would have to be the version before this. */
  async setTerm({ name, resourceVersion }: ObjectState, term: number): Promise<Reservation> {
    return await this.#patch(name, { metadata: { resourceVersion }, spec: { term } });
  }

  /** In this state alone: whoever led before and wakes up late deletes nothing that it has not seen. One that is gone already counts as deleted. */
  async delete({ name, uid, resourceVersion }: ObjectState): Promise<void> {
    await steps.reached('decided');
    await this.#writer.delete(reservationType, { name }, { preconditions: { uid, resourceVersion } });
    this.#cache.removed(name, uid);
    await steps.reached('deleted');
  }

  async #patch(name: string, body: object, subresource?: 'status'): Promise<Reservation> {
    return this.#stands(await this.#writer.patch(reservationType, { name }, { kind: 'merge', body }, { fieldManager, subresource }));
  }

  #stands(answer: ReservationObject): Reservation {
    const stands = this.#cache.wrote(answer);
    if (stands === undefined) throw vanished(answer.metadata?.name ?? '');
    return stands;
  }
}

export const vanished = (name: string): StatusError =>
  new StatusError('aborted', `somebody deleted Reservation ${name} meanwhile: ask again for what is needed`);

export const madeForBid = (name: string): StatusError =>
  new StatusError(
    'failed_precondition',
    `reservation ${name} was made for a bid: close that, or its lease, at the market, and it is given back`,
  );

/** Whether the write may have happened. The server says for certain that it did not in every other case. */
export function isFateUnknown(thrown: unknown): boolean {
  if (isFailure(thrown, 'connection', 'timeout', 'server', 'other')) return true;
  return failureOf(thrown) === undefined && !(thrown instanceof StatusError);
}

/** The object is not in the state that the write was decided on. */
export const hasMovedOn = (thrown: unknown): boolean => isFailure(thrown, 'conflict', 'not-found');
