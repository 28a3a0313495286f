import * as fulfillment from '@quartermaster/api/fulfillment';
import * as internal from '@quartermaster/api/private';
import { Backoff, type Clock, codeOf, messageOf, pause, type Random, StatusError, systemClock, systemRandom } from '@quartermaster/kernel';
import type { Link } from '../../text/link.ts';
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
  readonly clock?: Clock;
  readonly random?: Random;
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
  readonly #clock: Clock;
  readonly #backoff: Backoff;
  readonly #objects = new Map<string, AnyObject>(); // id -> object
  #isRead = false;
  #token = '';
  /** Whom the service took the caller for when everything was read. */
  #seenAs: string | undefined;
  #state: ObjectsState | undefined;
  #lastContactAt: number | undefined;
  #link: Link = { isLive: false, lastContactAt: undefined, reason: 'not connected yet' };

  constructor(options: ObjectFollowerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#backoff = new Backoff({ firstMs: 250, maxMs: 5_000, factor: 2 }, options.random ?? systemRandom);
  }

  /** Undefined until everything was read once. */
  get state(): ObjectsState | undefined {
    return this.#state;
  }

  get link(): Link {
    return this.#link;
  }

  /** Follows until the signal aborts. Throws only what trying again cannot mend. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const reason = await this.#attempt(signal);
      if (signal.aborted) return;
      this.#link = { isLive: false, lastContactAt: this.#lastContactAt, reason };
      this.#options.changed();
      await pause(this.#clock, this.#backoff.nextMs(), signal);
    }
  }

  /** One connection until it ends. Resolves with why it did. */
  async #attempt(signal: AbortSignal): Promise<string> {
    let connection: ApiConnection | undefined;
    try {
      connection = this.#options.connect();
      await this.#follow(connection, signal);
      return 'the service ended the stream';
    } catch (thrown) {
      const failure = connection?.explained(thrown) ?? thrown;
      if (signal.aborted) return '';
      if (isExpired(failure)) {
        this.#isRead = false;
        this.#token = '';
        return 'the watch was interrupted for too long: everything is read again';
      }
      if (!(failure instanceof StatusError) || this.#isFatal(codeOf(failure))) throw failure;
      return messageOf(failure);
    } finally {
      connection?.close();
    }
  }

  /** A watch ends with the token that opened it; when the next one is not let in either, there is no newer token. */
  #isFatal(code: string): boolean {
    return fatalCodes.has(code) && (this.#lastContactAt === undefined || (code === 'unauthenticated' && !this.#link.isLive));
  }

  async #follow(connection: ApiConnection, signal: AbortSignal): Promise<void> {
    const api = await connection.objects(this.#options.kind);
    const names = new NamesOfIds(connection);
    const seenAs = await viewOf(connection);
    // No event tells of what a change of rights has shown or hidden.
    if (this.#seenAs !== seenAs) this.#isRead = false;
    this.#seenAs = seenAs;
    if (this.#isRead) await this.#take(api, names, [...this.#objects.values()]);
    const broken = new AbortController();
    const ended = AbortSignal.any([signal, broken.signal]);
    const changes = new ChangedIds(
      (ids, token) => this.#readAgain(api, names, ids, token, ended),
      (thrown) => broken.abort(thrown),
    );
    for await (const { id, token } of watchIds(connection, api, this.#token, ended)) {
      if (!this.#isRead) {
        await this.#readAll(api, names, ended);
        this.#token = token;
      }
      this.#lastContactAt = this.#clock.now();
      this.#link = { isLive: true };
      this.#backoff.reset();
      changes.add(id, token);
      this.#options.changed();
    }
  }

  async #readAll(api: ObjectApi, names: NamesOfIds, signal: AbortSignal): Promise<void> {
    const { filter, order } = this.#options;
    const { items } = await readObjects(api, { filter, order }, signal);
    this.#objects.clear();
    await this.#take(api, names, items);
    this.#isRead = true;
  }

  async #readAgain(api: ObjectApi, names: NamesOfIds, ids: readonly string[], token: string, signal: AbortSignal): Promise<void> {
    const found = new Map((await readByIds(api, ids, this.#options.filter, signal)).map((object) => [object.id, object]));
    for (const id of ids) if (!found.has(id)) this.#objects.delete(id);
    await this.#take(api, names, [...found.values()]);
    this.#token = token;
    this.#options.changed();
  }

  async #take(api: ObjectApi, names: NamesOfIds, objects: readonly AnyObject[]): Promise<void> {
    for (const object of objects) this.#objects.set(object.id, object);
    await names.learn(
      api.kind.plural,
      objects.map((object) => objectJson(api.schema, object)),
    );
    this.#state = { api, items: [...this.#objects.values()], total: undefined, names };
  }
}

/** Ids that events named: gathered while earlier ones are read. */
class ChangedIds {
  readonly #read: (ids: readonly string[], token: string) => Promise<void>;
  readonly #failed: (thrown: unknown) => void;
  #ids = new Set<string>();
  #token = '';
  #isBusy = false;

  constructor(read: (ids: readonly string[], token: string) => Promise<void>, failed: (thrown: unknown) => void) {
    this.#read = read;
    this.#failed = failed;
  }

  add(id: string | undefined, token: string): void {
    if (id !== undefined) this.#ids.add(id);
    this.#token = token;
    if (!this.#isBusy) void this.#drain();
  }

  async #drain(): Promise<void> {
    this.#isBusy = true;
    try {
      while (this.#ids.size > 0) {
        const [ids, token] = [[...this.#ids], this.#token];
        this.#ids = new Set();
        await this.#read(ids, token);
      }
    } catch (thrown) {
      this.#failed(thrown);
    } finally {
      this.#isBusy = false;
    }
  }
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
  const request = { filter: `has(event.${api.kind.field})`, token, bookmarks: true };
  if (api.isPrivate) {
    for await (const answer of connection.client(internal.Events).watch(request, { signal })) {
      yield { id: answer.event?.payload.value?.id, token: answer.token };
    }
  } else {
    for await (const answer of connection.client(fulfillment.Events).watch(request, { signal })) {
      yield { id: answer.event?.payload.value?.id, token: answer.token };
    }
  }
}

function isExpired(thrown: unknown): boolean {
  if (!(thrown instanceof StatusError) || thrown.code !== 'failed_precondition') return false;
  const { details } = thrown;
  return typeof details === 'object' && details !== null && 'reason' in details && details.reason === 'FEED_TOKEN_EXPIRED';
}
