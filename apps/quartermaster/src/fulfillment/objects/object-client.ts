import type { DescService, Message } from '@bufbuild/protobuf';
import type { FieldMask, Timestamp } from '@bufbuild/protobuf/wkt';
import { StatusError } from '@quartermaster/kernel';
import type { RpcCallOptions, RpcChannel } from '@quartermaster/rpc';

/** An object of any kind in either API. */
export type AnyObject = Message & { id: string; metadata?: AnyMetadata | undefined };

export interface AnyMetadata {
  name: string;
  version: bigint;
  tenants: string[];
  labels: { [key: string]: string };
  creationTimestamp?: Timestamp | undefined;
  deletionTimestamp?: Timestamp | undefined;
}

export interface ListRequest {
  readonly limit?: number | undefined;
  readonly filter?: string | undefined;
  readonly order?: string | undefined;
  readonly cursor?: string | undefined;
  readonly skipTotal?: boolean | undefined;
}

export interface ListAnswer {
  readonly total?: number | undefined;
  readonly items: readonly AnyObject[];
  readonly nextCursor: string;
}

export interface UpdateRequest {
  readonly object: AnyObject;
  readonly updateMask: Pick<FieldMask, 'paths'>;
  readonly lock?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
}

interface ObjectAnswer {
  readonly object?: AnyObject | undefined;
}

/** The methods that the services of all kinds have. */
export interface ObjectClient {
  list(request: ListRequest, options?: RpcCallOptions): Promise<ListAnswer>;
  /** Kinds without secrets do not know `reveal`. */
  get(request: { readonly id: string; readonly reveal?: boolean | undefined }, options?: RpcCallOptions): Promise<ObjectAnswer>;
  create(request: { readonly object: AnyObject; readonly dryRun?: boolean | undefined }, options?: RpcCallOptions): Promise<ObjectAnswer>;
  update(request: UpdateRequest, options?: RpcCallOptions): Promise<ObjectAnswer>;
  delete(
    request: { readonly id: string; readonly version?: bigint | undefined; readonly dryRun?: boolean | undefined },
    options?: RpcCallOptions,
  ): Promise<Message>;
}

/** The service of a kind, whose requests and answers are of that kind's schema: the caller sees to that. */
export function objectClient(channel: RpcChannel, service: DescService): ObjectClient {
  // Of a service that is not known before, the types say nothing about its methods.
  const methods: Readonly<Record<string, never>> = channel.client(service);
  // A market changes orders, bids and leases itself.
  const method = (name: keyof ObjectClient) => methods[name] ?? ((() => missing(service, name)) as never);
  return { list: method('list'), get: method('get'), create: method('create'), update: method('update'), delete: method('delete') };
}

function missing(service: DescService, name: string): never {
  throw new StatusError('internal', `${service.typeName} has no method ${name}`);
}

export function answered(object: AnyObject | undefined): AnyObject {
  if (object === undefined) throw new StatusError('internal', 'the service answered without the object');
  return object;
}
