import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { openPublishedClient, type PublishedClient } from './published-client.ts';
import { laterThanReleased, publishedTypes } from './published-wire.ts';

/** An object type of the command line: a service of its packages that has the five methods and the fields that these need. */
export interface CliType {
  readonly service: string;
  /** The message of its objects, such as `private.v1.Host`. */
  readonly message: string;
}

/** What the released command line does, call by call: it finds types in its own descriptors, edits through JSON and sends no masks. */
export interface ReleasedCli {
  readonly types: readonly CliType[];
  /** All objects, or those with these ids or names; without those that are being deleted. */
  get(message: string, ...keys: readonly string[]): Promise<readonly JsonObject[]>;
  /** Documents as a file of `create -f` has them. */
  create(...documents: readonly JsonObject[]): Promise<readonly JsonObject[]>;
  edit(message: string, key: string, change: (object: JsonObject) => JsonObject): Promise<JsonObject>;
  delete(message: string, ...keys: readonly string[]): Promise<void>;
  /** Its events: type and object. Only of clusters and cluster templates. */
  watch(message: string, keys: readonly string[], signal: AbortSignal): AsyncGenerator<readonly [string, JsonObject], void, undefined>;
  call(service: string, method: string, request: JsonObject): Promise<JsonObject>;
  close(): void;
}

export interface LoginOptions {
  readonly token?: string;
  readonly isPrivate?: boolean;
}

const methods = ['List', 'Get', 'Create', 'Update', 'Delete'];
const payloads: Readonly<Record<string, string>> = {
  'fulfillment.v1.Cluster': 'cluster',
  'fulfillment.v1.ClusterTemplate': 'cluster_template',
};

/** Asks anonymously who issues tokens, then calls with a token, and is in when the server is healthy. */
export async function login(address: string, { token, isPrivate = false }: LoginOptions): Promise<{ cli: ReleasedCli; issuers: string[] }> {
  const types = publishedTypes(laterThanReleased);
  const anonymous = openPublishedClient(address, types);
  const { authn } = await anonymous.call('metadata.v1.Metadata', 'Get', {});
  anonymous.close();
  const client = openPublishedClient(address, types, token);
  // grpc.health.v1: field 1 of the answer is the status, and 1 of these is SERVING.
  const health = await client.send('/grpc.health.v1.Health/Check', new Uint8Array());
  if (!health.equals(Buffer.from([8, 1]))) throw new Error('the server is not serving');
  return {
    cli: cliOf(client, isPrivate ? ['fulfillment.v1', 'private.v1'] : ['fulfillment.v1']),
    issuers: texts(part(authn)['trusted_token_issuers']),
  };
}

function cliOf(client: PublishedClient, packages: readonly string[]): ReleasedCli {
  const types = typesIn(client, packages);
  const typeOf = (message: string): CliType => {
    const found = types.find((type) => type.message === message);
    if (found === undefined) throw new Error(`the command line has no type ${message}`);
    return found;
  };
  const list = async ({ service }: CliType, filter: string, more: JsonObject = {}) =>
    objects((await client.call(service, 'List', { filter, ...more }))['items']);
  const find = (type: CliType, key: string) =>
    list(type, `this.id == ${quoted(key)} || this.metadata.name == ${quoted(key)}`, { limit: 10 });
  return {
    types,
    call: client.call,
    close: client.close,
    get: async (message, ...keys) => {
      const wanted = keys.map(quoted).join(', ');
      const isWanted = keys.length === 0 ? '' : ` && (this.id in [${wanted}] || this.metadata.name in [${wanted}])`;
      return await list(typeOf(message), `!has(this.metadata.deletion_timestamp)${isWanted}`);
    },
    create: async (...documents) => {
      const made: JsonObject[] = [];
      for (const { '@type': url, ...object } of documents) {
        const { service } = typeOf(String(url).replace('type.googleapis.com/', ''));
        made.push(part((await client.call(service, 'Create', { object }))['object']));
      }
      return made;
    },
    edit: async (message, key, change) => {
      const type = typeOf(message);
      const [object, ...more] = await find(type, key);
      if (object === undefined || more.length > 0) throw new Error(`there are ${more.length} more with the key ${key}`);
      return part((await client.call(type.service, 'Update', { object: change(object) }))['object']);
    },
    delete: async (message, ...keys) => {
      const type = typeOf(message);
      for (const key of keys) {
        for (const { id = '' } of await find(type, key)) await client.call(type.service, 'Delete', { id });
      }
    },
    async *watch(message, keys, signal) {
      const field = payloads[message] ?? '';
      const wanted = keys.map((key) => `event.${field}.id == ${quoted(key)} || event.${field}.metadata.name == ${quoted(key)}`);
      const filter = [`has(event.${field})`, ...(wanted.length === 0 ? [] : [`(${wanted.join(' || ')})`])].join(' && ');
      for await (const { event } of client.stream('events.v1.Events', 'Watch', { filter }, signal)) {
        const payload = part(event)[field];
        // Where the command line would warn of an event that it does not know.
        if (payload === undefined) throw new Error(`an answer without the ${field} that was asked for`);
        yield [String(part(event)['type']), part(payload)];
      }
    },
  };
}

function typesIn({ types }: PublishedClient, packages: readonly string[]): CliType[] {
  const found: CliType[] = [];
  for (const type of types) {
    if (type.kind !== 'service' || !packages.includes(type.file.proto.package)) continue;
    const [list, get, create, update, remove] = methods.map((name) => type.methods.find((method) => method.name === name));
    const object = create?.input.fields.find(({ name }) => name === 'object')?.message;
    const fits = [
      list?.input.fields.some(({ name }) => name === 'filter'),
      list?.output.fields.some(({ name }) => name === 'items'),
      get?.input.fields.some(({ name }) => name === 'id'),
      update?.input.fields.some(({ name }) => name === 'object'),
      remove?.input.fields.some(({ name }) => name === 'id'),
    ].every((each) => each === true);
    if (fits && object !== undefined) found.push({ service: type.typeName, message: object.typeName });
  }
  return found;
}

/** As the language of the command line writes a text: with escapes that filters have as well. */
const quoted = (text: string): string => JSON.stringify(text);

/** The object, or an empty one in place of everything else. */
export function part(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

export function objects(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.map(part) : [];
}

function texts(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
