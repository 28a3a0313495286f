import { apiVersionOf, type KubeObject, type ObjectRef, type ResourceType } from '../objects/objects.ts';
import { collectionPath, describeRef, objectPath, requireNamespace } from '../objects/resource-path.ts';
import { type CredentialOptions, loadCredentials } from '../transport/credentials.ts';
import { isFailure } from '../transport/failure.ts';
import { type KubeRequest, KubeTransport, type TransportOptions } from '../transport/transport.ts';
import type {
  ApplyOptions,
  DeleteOptions,
  KubeReader,
  KubeWriter,
  ListOptions,
  ObjectList,
  Patch,
  ReadOptions,
  RequestOptions,
  WriteOptions,
} from './api.ts';

interface RawList<T> {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string; readonly remainingItemCount?: number };
  readonly items?: readonly T[] | null;
}

const patchTypes: Readonly<Record<Patch['kind'], string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

/** What a scale subresource says. */
export interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas: number; readonly selector?: string };
}

/** Reads and writes objects of any kind. Stateless apart from its connections; share one per API server and identity. */
export class KubeClient implements KubeReader, KubeWriter {
  readonly transport: KubeTransport;

  constructor(transport: KubeTransport) {
    this.transport = transport;
  }

  /** A client for the kubeconfig or the pod that we run in. */
  static async connect(options: CredentialOptions & Omit<TransportOptions, 'credentials'> = {}): Promise<KubeClient> {
    return new KubeClient(new KubeTransport({ ...options, credentials: await loadCredentials(options) }));
  }

  async get<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options: ReadOptions = {}): Promise<T> {
    return await this.transport.json<T>({
      ...common(options),
      what: `get ${describeRef(type, ref)}`,
      method: 'GET',
      path: objectPath(type, ref, options.subresource),
      query: { resourceVersion: options.resourceVersion },
    });
  }

  async find<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options: ReadOptions = {}): Promise<T | undefined> {
    try {
      return await this.get(type, ref, options);
    } catch (error) {
      if (isFailure(error, 'not-found')) return undefined;
      throw error;
    }
  }

  async list<T extends KubeObject>(type: ResourceType<T>, options: ListOptions = {}): Promise<ObjectList<T>> {
    const raw = await this.transport.json<RawList<T>>(listRequest(type, options));
    // Items of built-in kinds come without these two; an object should look the same wherever it came from.
    const items = (raw.items ?? []).map((item) => ({ ...item, apiVersion: apiVersionOf(type), kind: type.kind }));
    const { resourceVersion = '', continue: token, remainingItemCount } = raw.metadata ?? {};
    return { resourceVersion, items, continue: token === '' ? undefined : token, remainingItemCount };
  }

  /** Every page of one consistent list. Fails with `expired` when reading takes longer than the server keeps the snapshot. */
  async *pages<T extends KubeObject>(type: ResourceType<T>, options: ListOptions = {}): AsyncGenerator<ObjectList<T>, void> {
    const limit = options.limit ?? 500;
    let page = await this.list(type, { ...options, limit });
    yield page;
    while (page.continue !== undefined) {
      // The token carries the snapshot's version; naming one beside it is an error.
      page = await this.list(type, {
        ...options,
        limit,
        continue: page.continue,
        resourceVersion: undefined,
        resourceVersionMatch: undefined,
      });
      yield page;
    }
  }

  async create<T extends KubeObject>(type: ResourceType<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const namespace = object.metadata?.namespace;
    requireNamespace(type, namespace);
    const name = object.metadata?.name ?? object.metadata?.generateName ?? '';
    return await this.#write(
      'POST',
      `create ${describeRef(type, { namespace, name })}`,
      collectionPath(type, namespace),
      type,
      object,
      options,
    );
  }

  /** POST to a subresource that takes an object of its own: `eviction`, `binding`, `token`. */
  async createSubresource<T extends KubeObject, B extends KubeObject>(
    type: ResourceType<T>,
    ref: ObjectRef,
    subresource: string,
    body: B,
    options: WriteOptions = {},
  ): Promise<B> {
    return await this.transport.json<B>({
      ...writing(options),
      what: `create ${subresource} of ${describeRef(type, ref)}`,
      method: 'POST',
      path: objectPath(type, ref, subresource),
      query: writeQuery(options),
      body: JSON.stringify(body),
    });
  }

  async replace<T extends KubeObject>(type: ResourceType<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const ref = namedBy(object);
    return await this.#write('PUT', `replace ${describeRef(type, ref)}`, objectPath(type, ref, options.subresource), type, object, options);
  }

  async patch<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, patch: Patch, options: WriteOptions = {}): Promise<T> {
    return await this.transport.json<T>({
      ...writing(options),
      what: `patch ${describeRef(type, ref)}`,
      method: 'PATCH',
      path: objectPath(type, ref, options.subresource),
      query: writeQuery(options),
      body: JSON.stringify(patch.kind === 'json' ? patch.operations : patch.body),
      contentType: patchTypes[patch.kind],
    });
  }

  async apply<T extends KubeObject>(type: ResourceType<T>, object: T, options: ApplyOptions): Promise<T> {
    const ref = namedBy(object);
    return await this.transport.json<T>({
      ...writing(options),
      what: `apply ${describeRef(type, ref)}`,
      method: 'PATCH',
      path: objectPath(type, ref, options.subresource),
      query: { ...writeQuery(options), force: options.force },
      body: JSON.stringify({ ...basedOn(object, options.decidedOn), apiVersion: apiVersionOf(type), kind: type.kind }),
      // JSON is YAML, and every server that applies accepts this type.
      contentType: 'application/apply-patch+yaml',
    });
  }

  async delete<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options: DeleteOptions = {}): Promise<void> {
    try {
      await this.transport.text(deleteRequest(`delete ${describeRef(type, ref)}`, objectPath(type, ref), options));
    } catch (error) {
      if (!isFailure(error, 'not-found')) throw error;
    }
  }

  /** Deletes every object that the selectors match. The namespace is required for namespaced kinds: there is no accidental "all". */
  async deleteCollection<T extends KubeObject>(type: ResourceType<T>, selection: ListOptions, options: DeleteOptions = {}): Promise<void> {
    requireNamespace(type, selection.namespace);
    const { labelSelector, fieldSelector, namespace } = selection;
    const request = deleteRequest(`delete ${type.plural}`, collectionPath(type, namespace), options);
    await this.transport.text({ ...request, query: { labelSelector, fieldSelector } });
  }

  async scale<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options: RequestOptions = {}): Promise<Scale> {
    return await this.transport.json<Scale>({
      ...common(options),
      what: `get scale of ${describeRef(type, ref)}`,
      method: 'GET',
      path: objectPath(type, ref, 'scale'),
    });
  }

  async setScale<T extends KubeObject>(
    type: ResourceType<T>,
    ref: ObjectRef,
    replicas: number,
    options: WriteOptions = {},
  ): Promise<Scale> {
    const patch: Patch = { kind: 'merge', body: { spec: { replicas } } };
    return await this.patch<KubeObject>(type, ref, patch, { ...options, subresource: 'scale' });
  }

  async close(): Promise<void> {
    await this.transport.credentials.close();
  }

  async #write<T extends KubeObject>(
    method: 'POST' | 'PUT',
    what: string,
    path: string,
    type: ResourceType<T>,
    object: T,
    options: WriteOptions,
  ): Promise<T> {
    const body = JSON.stringify({ ...object, apiVersion: apiVersionOf(type), kind: type.kind });
    return await this.transport.json<T>({ ...writing(options), what, method, path, query: writeQuery(options), body });
  }
}

/** The request behind a list, shared with the reflector, which reads the answer in its own way. */
export function listRequest(type: ResourceType, options: ListOptions): KubeRequest {
  const { labelSelector, fieldSelector, limit, resourceVersion, resourceVersionMatch } = options;
  return {
    ...common(options),
    what: `list ${type.plural}`,
    method: 'GET',
    path: collectionPath(type, options.namespace),
    query: { labelSelector, fieldSelector, limit, continue: options.continue, resourceVersion, resourceVersionMatch },
  };
}

/** Unlike `refOf` leaves a missing name to the path's own rule, whose message names the kind. */
function namedBy({ metadata }: KubeObject): ObjectRef {
  return { namespace: metadata?.namespace, name: metadata?.name ?? '' };
}

/** The server checks the resourceVersion only while the object exists; the uid keeps it from being created anew by accident. */
function basedOn<T extends KubeObject>(object: T, decidedOn: ApplyOptions['decidedOn']): T {
  if (decidedOn === undefined || decidedOn === 'absent') return object;
  const { uid, resourceVersion } = decidedOn;
  return { ...object, metadata: { ...object.metadata, uid, resourceVersion } };
}

function deleteRequest(what: string, path: string, options: DeleteOptions): KubeRequest {
  const body = {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    preconditions: options.preconditions,
    propagationPolicy: options.propagation,
    gracePeriodSeconds: options.gracePeriodSeconds,
    dryRun: options.dryRun === true ? ['All'] : undefined,
  };
  return { ...writing(options), what, method: 'DELETE', path, body: JSON.stringify(body) };
}

function common(options: RequestOptions): Pick<KubeRequest, 'signal' | 'timeoutMs' | 'guard'> {
  const { signal, timeoutMs, guard } = options;
  return { signal, timeoutMs, guard };
}

/** The server gives a write up no later than its caller, so that none takes effect after its caller was told that it failed. */
function writing(options: RequestOptions): Pick<KubeRequest, 'signal' | 'timeoutMs' | 'guard' | 'sendsTimeout'> {
  return { ...common(options), sendsTimeout: true };
}

function writeQuery(options: WriteOptions): NonNullable<KubeRequest['query']> {
  return {
    fieldManager: options.fieldManager,
    fieldValidation: options.fieldValidation,
    dryRun: options.dryRun === true ? 'All' : undefined,
  };
}
