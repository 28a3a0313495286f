import type { DescMessage, DescService } from '@bufbuild/protobuf';
import * as fulfillment from '@quartermaster/api/fulfillment';
import { Sessions, type SessionsGetResponse } from '@quartermaster/api/fulfillment-extras';
import * as market from '@quartermaster/api/market';
import * as internal from '@quartermaster/api/private';
import { fieldViolationsOf, StatusError } from '@quartermaster/kernel';
import type { ServiceClient } from '@quartermaster/rpc';
import { type FoundServer, findServer } from '../../server/find-server.ts';
import { connectTo, type ServerConnection, using } from '../../server/server-connection.ts';
import type { ServerFlags } from '../../server/server-flags.ts';
import type { LoginServer } from '../../server/servers.ts';
import type { Kind, KindPlural } from '../kinds/kind.ts';
import { kindForms } from '../kinds/kind-forms.ts';
import { kindNamed } from '../kinds/kinds.ts';
import { type ObjectClient, objectClient } from './object-client.ts';

/** A kind in the API that is used for it. */
export interface ObjectApi {
  readonly kind: Kind;
  readonly isPrivate: boolean;
  readonly schema: DescMessage;
  readonly client: ObjectClient;
}

export type AnyEvent = internal.EventsWatchResponse | fulfillment.EventsWatchResponse | market.EventsWatchResponse;

/** A conversation with a service that has objects. A market has one API, which counts as public. */
export class ApiConnection {
  /** Which API is wanted; undefined: the better one that the caller may use. */
  readonly #choice: FoundServer['api'];
  readonly #name: LoginServer;
  readonly #connection: ServerConnection;
  #session: Promise<SessionsGetResponse | undefined> | undefined;

  constructor(server: FoundServer, flags: Pick<ServerFlags, 'public' | 'private'>, name: LoginServer = 'fulfillment') {
    if (flags.public === true && flags.private === true) {
      throw new StatusError('invalid_argument', '--public and --private contradict each other: give one of them');
    }
    this.#name = name;
    this.#connection = connectTo(name, server);
    this.#choice = name === 'market' ? 'public' : flags.public === true ? 'public' : flags.private === true ? 'private' : server.api;
  }

  get server(): FoundServer {
    return this.#connection.server;
  }

  /** Who the service takes the caller for. Undefined when it has no way to tell, as other services with this contract. */
  async session(): Promise<SessionsGetResponse | undefined> {
    this.#session ??= this.client(Sessions)
      .get({})
      .catch((thrown: unknown) => {
        if (thrown instanceof StatusError && thrown.code === 'not_found') return undefined;
        throw thrown;
      });
    return await this.#session;
  }

  client<S extends DescService>(service: S): ServiceClient<S> {
    return this.#connection.client(service);
  }

  /** What changes after a token, in either API. Tokens also come without an event, so that one can go on from a quiet feed. */
  events(isPrivate: boolean, request: { readonly filter: string; readonly token: string }, signal: AbortSignal): AsyncIterable<AnyEvent> {
    const asked = { ...request, bookmarks: true };
    if (this.#name === 'market') return this.client(market.Events).watch(asked, { signal });
    return isPrivate ? this.client(internal.Events).watch(asked, { signal }) : this.client(fulfillment.Events).watch(asked, { signal });
  }

  /** The kind in the private API where the caller may use it, else in the public one. */
  async objects(plural: KindPlural): Promise<ObjectApi> {
    return this.objectsOf(plural, (await this.isPrivateFor(plural)) ? 'private' : 'public');
  }

  objectsOf(plural: KindPlural, api: 'public' | 'private'): ObjectApi {
    const kind = kindNamed(plural);
    const form = kindForms[plural][api];
    if (form === undefined) {
      throw new StatusError('permission_denied', `${plural} are only visible to providers: log in as a provider or an administrator`);
    }
    return { kind, isPrivate: api === 'private', schema: form.schema, client: objectClient(this.#connection, form.service) };
  }

  async isPrivateFor(plural: KindPlural): Promise<boolean> {
    return await this.mayUsePrivate(`/${kindForms[plural].private.service.typeName}/List`);
  }

  /** Whether this method of the private API is to be used, rather than its like in the public one. */
  async mayUsePrivate(method: string): Promise<boolean> {
    if (this.#choice !== undefined) return this.#choice === 'private';
    return (await this.session())?.rights.includes(method) === true;
  }

  /** A failure as a person can act on it. */
  explained(thrown: unknown): unknown {
    if (thrown instanceof DOMException && thrown.name === 'AbortError') return new StatusError('unavailable', 'interrupted');
    const failure = this.#connection.explained(thrown);
    const violations = fieldViolationsOf(failure);
    if (!(failure instanceof StatusError) || violations.length < 2) return failure;
    const lines = violations.map(({ field, description }) => `${field}: ${description}`);
    return new StatusError(failure.code, [`${violations.length} fields are refused`, ...lines].join('\n'), { details: failure.details });
  }

  close(): void {
    this.#connection.close();
  }
}

export function connectApi(flags: ServerFlags, name: LoginServer = 'fulfillment'): ApiConnection {
  return new ApiConnection(findServer(name, flags, process.env), flags, name);
}

/** Does something with a service. What goes wrong is told as one that names the way out. */
export async function withApi<T>(flags: ServerFlags, work: (connection: ApiConnection) => Promise<T>, name?: LoginServer): Promise<T> {
  return await using(connectApi(flags, name), work);
}
