import type { DescMessage, DescService } from '@bufbuild/protobuf';
import { Sessions, type SessionsGetResponse } from '@quartermaster/api/fulfillment-extras';
import { fieldViolationsOf, StatusError } from '@quartermaster/kernel';
import { openRpcChannel, type RpcChannel, type ServiceClient } from '@quartermaster/rpc';
import { explainedFailure } from '../server/explained-failure.ts';
import type { ApiFlags } from './api-flags.ts';
import { type ApiServer, apiWords, findApiServer } from './find-api-server.ts';
import { type KindName, type KindPlural, kindNamed } from './kind-names.ts';
import { type ObjectClient, objectClient } from './object-client.ts';
import { kindForms } from './object-kinds.ts';

/** A kind in the API that is used for it. */
export interface ObjectApi {
  readonly kind: KindName;
  readonly isPrivate: boolean;
  readonly schema: DescMessage;
  readonly client: ObjectClient;
}

/** Which API a command wants; undefined: the better one that the caller may use. */
export type ApiChoice = 'public' | 'private' | undefined;

/** A conversation with a fulfillment service. */
export class ApiConnection {
  readonly server: ApiServer;
  readonly choice: ApiChoice;
  readonly #channel: RpcChannel;
  #session: Promise<SessionsGetResponse | undefined> | undefined;

  constructor(server: ApiServer, flags: Pick<ApiFlags, 'public' | 'private'>) {
    if (flags.public === true && flags.private === true) {
      throw new StatusError('invalid_argument', '--public and --private contradict each other: give one of them');
    }
    this.server = server;
    this.choice = flags.public === true ? 'public' : flags.private === true ? 'private' : server.api;
    const { address, tls, token, allowInsecure } = server;
    this.#channel = openRpcChannel({
      address,
      allowInsecure,
      ...(tls === undefined ? {} : { tls }),
      ...(token === undefined ? {} : { token }),
    });
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
    return this.#channel.client(service);
  }

  /** The kind in the private API where the caller may use it, else in the public one. */
  async objects(plural: KindPlural): Promise<ObjectApi> {
    return this.objectsOf(plural, (await this.isPrivateFor(plural)) ? 'private' : 'public');
  }

  objectsOf(plural: KindPlural, api: 'public' | 'private'): ObjectApi {
    const kind = kindNamed(plural);
    const form = kindForms[plural][api];
    if (form === undefined) {
      throw new StatusError('permission_denied', `${plural} are the provider's own: log in as a provider or an administrator`);
    }
    return { kind, isPrivate: api === 'private', schema: form.schema, client: objectClient(this.#channel, form.service) };
  }

  async isPrivateFor(plural: KindPlural): Promise<boolean> {
    return await this.mayUsePrivate(`/${kindForms[plural].private.service.typeName}/List`);
  }

  /** Whether this method of the private API is to be used, rather than its like in the public one. */
  async mayUsePrivate(method: string): Promise<boolean> {
    if (this.choice !== undefined) return this.choice === 'private';
    return (await this.session())?.rights.includes(method) === true;
  }

  /** A failure as a person can act on it. */
  explained(thrown: unknown): unknown {
    if (thrown instanceof DOMException && thrown.name === 'AbortError') return new StatusError('unavailable', 'it was broken off');
    const failure = explainedFailure(thrown, this.server, apiWords);
    const violations = fieldViolationsOf(failure);
    if (!(failure instanceof StatusError) || violations.length < 2) return failure;
    const lines = violations.map(({ field, description }) => `${field}: ${description}`);
    return new StatusError(failure.code, [`${violations.length} fields are refused`, ...lines].join('\n'), { details: failure.details });
  }

  close(): void {
    this.#channel.close();
  }
}

export function connectApi(flags: ApiFlags, env: NodeJS.ProcessEnv = process.env): ApiConnection {
  return new ApiConnection(findApiServer(flags, env), flags);
}

/** Does something with a service. What goes wrong is told as one that names the way out. */
export async function withApi<T>(flags: ApiFlags, work: (connection: ApiConnection) => Promise<T>): Promise<T> {
  const connection = connectApi(flags);
  try {
    return await work(connection);
  } catch (thrown) {
    throw connection.explained(thrown);
  } finally {
    connection.close();
  }
}
