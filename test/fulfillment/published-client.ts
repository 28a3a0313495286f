import {
  type DescMessage,
  type DescMethod,
  type FileRegistry,
  fromBinary,
  fromJson,
  type JsonObject,
  type JsonValue,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';

/** A refusal as a client of another language sees it. */
class PublishedError extends Error {
  readonly code: string;
  readonly trailer: Metadata;

  constructor(method: string, code: number, text: string, trailer: Metadata) {
    super(`${method}: ${status[code]}: ${text}`);
    this.code = status[code] ?? String(code);
    this.trailer = trailer;
  }
}

export interface PublishedClient {
  readonly types: FileRegistry;
  /** `call('private.v1.Hosts', 'List', { limit: 1 })`. Whatever the types do not know of an answer is lost, as in any client that goes through JSON. */
  call(service: string, method: string, request: JsonObject): Promise<JsonObject>;
  /** Bytes as they are, where there are no types. */
  send(path: string, request: Uint8Array): Promise<Buffer>;
  stream(service: string, method: string, request: JsonObject, signal: AbortSignal): AsyncGenerator<JsonObject, void, undefined>;
  close(): void;
}

/** A gRPC client that knows the API by the given types alone. */
export function openPublishedClient(address: string, types: FileRegistry, token?: string): PublishedClient {
  const client = new Client(address, credentials.createInsecure());
  const metadata = (): Metadata => {
    const result = new Metadata();
    if (token !== undefined) result.set('authorization', `Bearer ${token}`);
    return result;
  };
  const send = (path: string, request: Uint8Array): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest(path, Buffer.from, Buffer.from, Buffer.from(request), metadata(), (error, answer) => {
        if (error !== null) reject(new PublishedError(path, error.code, error.details, error.metadata));
        else if (answer === undefined) reject(new Error(`${path}: neither an answer nor an error`));
        else resolve(answer);
      });
    });
  return {
    types,
    send,
    async call(service, method, request) {
      const found = methodOf(types, service, method);
      return decode(types, found.output, await send(`/${service}/${method}`, encode(types, found.input, request)));
    },
    async *stream(service, method, request, signal) {
      const found = methodOf(types, service, method);
      const bytes = Buffer.from(encode(types, found.input, request));
      const path = `/${service}/${method}`;
      const answers = client.makeServerStreamRequest<Buffer, Buffer>(path, Buffer.from, Buffer.from, bytes, metadata());
      signal.addEventListener('abort', () => answers.cancel(), { once: true });
      try {
        for await (const answer of answers) yield decode(types, found.output, answer as Buffer);
      } catch (thrown) {
        if (signal.aborted) return;
        throw isServiceError(thrown) ? new PublishedError(path, thrown.code, thrown.details, thrown.metadata) : thrown;
      }
    },
    close: () => client.close(),
  };
}

/** Whether it is what gRPC calls end with. */
export function isServiceError(
  thrown: unknown,
): thrown is { readonly code: number; readonly details: string; readonly metadata: Metadata } {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'number' && 'details' in thrown;
}

function methodOf(types: FileRegistry, service: string, name: string): DescMethod {
  const method = types.getService(service)?.methods.find((each) => each.name === name);
  if (method === undefined) throw new Error(`there is no ${service}/${name} in the published types`);
  return method;
}

function encode(registry: FileRegistry, message: DescMessage, value: JsonValue): Uint8Array {
  return toBinary(message, fromJson(message, value, { registry }));
}

function decode(registry: FileRegistry, message: DescMessage, bytes: Uint8Array): JsonObject {
  const json = toJson(message, fromBinary(message, bytes), { registry, useProtoFieldName: true });
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new Error(`${message.typeName} is no JSON object`);
  return json;
}
