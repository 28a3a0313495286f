import {
  type Clock,
  Follower,
  type FollowStatus,
  type FollowVerdict,
  messageOf,
  type Random,
  StatusError,
  systemClock,
  systemRandom,
} from '@quartermaster/kernel';
import { reconnectBackoff, watchConnections } from '../../server/watch-connections.ts';
import { type Link, linkOf } from '../../text/link.ts';
import type { KindPlural } from '../kinds/kind.ts';
import type { ApiConnection, ObjectApi } from '../objects/api-connection.ts';
import { NamesOfIds } from '../objects/names-of-ids.ts';
import type { AnyObject } from '../objects/object-client.ts';
import { objectJson } from '../objects/object-json.ts';
import { readByIds, readObjects } from '../objects/read-objects.ts';
import type { ObjectsState } from './object-list.ts';

export interface ObjectFollowerOptions {
  readonly kind: KindPlural;
  /** Of the list; undefined: all. */
  readonly filter: string | undefined;
  readonly order: string | undefined;
  /** Opens a new connection for every attempt, so that a service that moved is found. May throw. */
  readonly connect: () => ApiConnection;
  readonly changed: () => void;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
}

// Waiting mends none of these, unless the same request was granted before.
const fatalCodes: ReadonlySet<string> = new Set(['unauthenticated', 'permission_denied', 'invalid_argument', 'not_found']);

/**
 * Keeps the objects that match a filter. First the watch begins, then everything is read: nothing that happens in between is missed. After that an
 * event says only which object to read again, with the same filter, so that one that no longer matches leaves and one that begins to match comes. A
 * watch that breaks goes on from the token of the last event whose object was read.
 */
export class ObjectFollower {
  readonly #options: ObjectFollowerOptions;
  readonly #follower: Follower<ChangedId, string>;
  readonly #objects = new Map<string, AnyObject>(); // id -> object
  /** Of the present connection. */
  #access: Access | undefined;
  /** Whom the service took the caller for when everything was read. */
  #seenAs: string | undefined;
  #state: ObjectsState | undefined;

  constructor(options: ObjectFollowerOptions) {
    this.#options = options;
    this.#follower = new Follower<ChangedId, string>({
      watch: watchConnections(options.connect, (connection, token, signal) => this.#watch(connection, token, signal)),
      list: (signal) => this.#explained((access) => this.#readAll(access, signal)),
      take: (changes, signal) => this.#explained((access) => this.#readAgain(access, changes, signal)),
      tokenOf: ({ token }) => token,
      judge,
      backoff: reconnectBackoff,
      clock: options.clock ?? systemClock,
      random: options.random ?? systemRandom,
      changed: options.changed,
    });
  }

  /** Undefined until everything was read once. */
  get state(): ObjectsState | undefined {
    return this.#state;
  }

  get link(): Link {
    return linkOf(this.#follower.status(), reasonOf);
  }

  /** Why there is no stream while another try is waited for; undefined before the first one has failed, and while there is one. */
  get breakReason(): string | undefined {
    const { state } = this.#follower.status();
    return state.kind === 'reconnecting' ? reasonOf(state.error) : undefined;
  }

  /** Follows until the signal aborts. Throws only what trying again cannot mend. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#follower.run(signal);
  }

  async *#watch(connection: ApiConnection, token: string | undefined, signal: AbortSignal): AsyncGenerator<ChangedId> {
    const access = { connection, api: await connection.objects(this.#options.kind), names: new NamesOfIds(connection) };
    this.#access = access;
    const seenAs = await viewOf(connection);
    // No event tells of what a change of rights has shown or hidden.
    if (this.#seenAs !== seenAs) this.#follower.forget();
    else if (token !== undefined) await this.#keep(access, [...this.#objects.values()]);
    this.#seenAs = seenAs;
    yield* watchIds(connection, access.api, token ?? '', signal);
  }

  async #explained(work: (access: Access) => Promise<void>): Promise<void> {
    const access = this.#access;
    if (access === undefined) throw new StatusError('internal', 'an event arrived before there was a connection');
    try {
      await work(access);
    } catch (thrown) {
      throw access.connection.explained(thrown);
    }
  }

  async #readAll(access: Access, signal: AbortSignal): Promise<void> {
    const { filter, order } = this.#options;
    const { items } = await readObjects(access.api, { filter, order }, signal);
    signal.throwIfAborted();
    this.#objects.clear();
    await this.#keep(access, items);
  }

  async #readAgain(access: Access, changes: readonly ChangedId[], signal: AbortSignal): Promise<void> {
    const ids = [...new Set(changes.flatMap(({ id }) => id ?? []))];
    if (ids.length === 0) return;
    const found = await readByIds(access.api, ids, this.#options.filter, signal);
    signal.throwIfAborted();
    const matching = new Set(found.map(({ id }) => id));
    for (const id of ids) if (!matching.has(id)) this.#objects.delete(id);
    await this.#keep(access, found);
  }

  async #keep({ api, names }: Access, objects: readonly AnyObject[]): Promise<void> {
    for (const object of objects) this.#objects.set(object.id, object);
    await names.learn(
      api.kind.plural,
      objects.map((object) => objectJson(api.schema, object)),
    );
    this.#state = { api, items: [...this.#objects.values()], total: undefined, names };
  }
}

interface Access {
  readonly connection: ApiConnection;
  readonly api: ObjectApi;
  readonly names: NamesOfIds;
}

function judge(error: unknown, { heardAt, state }: FollowStatus): FollowVerdict {
  if (isExpired(error)) return 'restart';
  if (!(error instanceof StatusError)) return 'fail';
  // A watch ends with the token that opened it; when the next one is not let in either, there is no newer token.
  const isRefused = heardAt === undefined || (error.code === 'unauthenticated' && state.kind !== 'following');
  return fatalCodes.has(error.code) && isRefused ? 'fail' : 'resume';
}

function reasonOf(error: unknown): string {
  if (error === undefined) return 'the service ended the stream';
  return isExpired(error) ? 'the watch was interrupted for too long: everything is read again' : messageOf(error);
}

/** What decides which objects are there for the caller. */
async function viewOf(connection: ApiConnection): Promise<string | undefined> {
  const session = await connection.session();
  return session === undefined ? undefined : JSON.stringify([session.name, session.role, session.tenants]);
}

interface ChangedId {
  /** Undefined: only the token is new. */
  readonly id: string | undefined;
  readonly token: string;
}

async function* watchIds(connection: ApiConnection, api: ObjectApi, token: string, signal: AbortSignal): AsyncGenerator<ChangedId> {
  for await (const answer of connection.events(api.isPrivate, { filter: `has(event.${api.kind.field})`, token }, signal)) {
    yield { id: answer.event?.payload.value?.id, token: answer.token };
  }
}

function isExpired(thrown: unknown): boolean {
  if (!(thrown instanceof StatusError) || thrown.code !== 'failed_precondition') return false;
  const { details } = thrown;
  return typeof details === 'object' && details !== null && 'reason' in details && details.reason === 'FEED_TOKEN_EXPIRED';
}
