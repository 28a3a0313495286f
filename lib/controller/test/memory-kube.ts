import { present, type StatusCode, StatusError } from '@quartermaster/kernel';
import {
  type ApplyOptions,
  type DeleteOptions,
  type KubeFailure,
  type KubeObject,
  type KubeReader,
  type KubeWriter,
  keyText,
  type ObjectList,
  type ObjectRef,
  type Patch,
  type ResourceType,
  refOf,
  type WriteOptions,
} from '@quartermaster/kube';

export function failure(code: StatusCode, details: KubeFailure, message: string = details.kind): StatusError {
  return new StatusError(code, message, { details });
}

const notFound = (): StatusError => failure('not_found', { kind: 'not-found' });
export const conflict = (): StatusError => failure('aborted', { kind: 'conflict', causes: [] });

export interface Call {
  readonly verb: string;
  readonly key: string;
  readonly body?: unknown;
  readonly options: WriteOptions | DeleteOptions;
}

/**
 * As much of an API server as the unit tests of this package need: storage, resource versions, merge patches and dry runs. Apply
 * merges without field ownership. The real server's behaviour is proven elsewhere, against the real one.
 */
export class MemoryKube implements KubeReader, KubeWriter {
  readonly objects = new Map<string, KubeObject>(); // plural namespace/name -> object
  readonly calls: Call[] = [];
  /** Thrown by the next writes, one each. */
  readonly failures: unknown[] = [];
  #version = 0;

  put<T extends KubeObject>(type: ResourceType<T>, object: T): T {
    return this.#store(type, object, {});
  }

  async get<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef): Promise<T> {
    const found = await this.find(type, ref);
    if (found === undefined) throw notFound();
    return found;
  }

  async find<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef): Promise<T | undefined> {
    return await Promise.resolve(this.#peek(type, ref));
  }

  async list<T extends KubeObject>(type: ResourceType<T>): Promise<ObjectList<T>> {
    const items = [...this.objects].filter(([at]) => at.startsWith(`${type.plural} `)).map(([, object]) => object as T);
    return await Promise.resolve({ resourceVersion: String(this.#version), items });
  }

  async create<T extends KubeObject>(type: ResourceType<T>, object: T, options: WriteOptions = {}): Promise<T> {
    await this.#called('create', refOf(object), object, options);
    if (this.#peek(type, refOf(object)) !== undefined) throw failure('already_exists', { kind: 'already-exists' });
    return this.#store(type, object, options);
  }

  async replace<T extends KubeObject>(type: ResourceType<T>, object: T, options: WriteOptions = {}): Promise<T> {
    await this.#called('replace', refOf(object), object, options);
    this.#check(type, refOf(object), object.metadata?.resourceVersion);
    return this.#store(type, object, options);
  }

  async patch<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, patch: Patch, options: WriteOptions = {}): Promise<T> {
    await this.#called('patch', ref, patch, options);
    if (patch.kind !== 'merge') throw new Error('the tests of this package send merge patches only');
    const body = patch.body as KubeObject;
    const before = this.#check(type, ref, body.metadata?.resourceVersion);
    return this.#store(type, merge(before, body) as T, options);
  }

  async apply<T extends KubeObject>(type: ResourceType<T>, object: T, options: ApplyOptions): Promise<T> {
    await this.#called('apply', refOf(object), object, options);
    return this.#store(type, merge(this.#peek(type, refOf(object)) ?? {}, object) as T, options);
  }

  async delete<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options: DeleteOptions = {}): Promise<void> {
    await this.#called('delete', ref, undefined, options);
    if (options.dryRun !== true) this.objects.delete(place(type, ref));
  }

  async #called(verb: string, ref: ObjectRef, body: unknown, options: WriteOptions | DeleteOptions): Promise<void> {
    this.calls.push({ verb, key: keyText(ref), body, options });
    await Promise.resolve();
    if (this.failures.length > 0) throw this.failures.shift();
  }

  #peek<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef): T | undefined {
    return this.objects.get(place(type, ref)) as T | undefined;
  }

  #check<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, resourceVersion: string | undefined): T {
    const before = this.#peek(type, ref);
    if (before === undefined) throw notFound();
    if (resourceVersion !== undefined && resourceVersion !== before.metadata?.resourceVersion) throw conflict();
    return before;
  }

  #store<T extends KubeObject>(type: ResourceType<T>, object: T, options: WriteOptions): T {
    const at = place(type, refOf(object));
    const before = this.objects.get(at);
    if (options.dryRun !== true) this.#version += 1;
    const resourceVersion = options.dryRun === true ? before?.metadata?.resourceVersion : String(this.#version);
    const uid = before?.metadata?.uid ?? object.metadata?.uid ?? `uid-of-${object.metadata?.name}`;
    const metadata = { ...object.metadata, ...present({ uid, resourceVersion }) };
    const stored: T = { ...object, metadata };
    if (options.dryRun !== true) this.objects.set(at, stored);
    return stored;
  }
}

function place(type: ResourceType, ref: ObjectRef): string {
  return `${type.plural} ${keyText(ref)}`;
}

function merge(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result = new Map<string, unknown>(typeof target === 'object' && target !== null ? Object.entries(target) : []);
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) result.delete(field);
    else result.set(field, merge(result.get(field), value));
  }
  return Object.fromEntries(result);
}
