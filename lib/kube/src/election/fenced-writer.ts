import { defineSteps, StatusError } from '@quartermaster/kernel';
import type { ApplyOptions, DeleteOptions, KubeReader, KubeWriter, Patch, RequestOptions, WriteOptions } from '../client/api.ts';
import { type KubeObject, type ObjectRef, type ResourceType, refOf } from '../objects/objects.ts';
import { describeRef } from '../objects/resource-path.ts';
import type { Leadership } from './leadership.ts';

const steps = defineSteps('leader-write', ['decided', 'written']);

type HeldLease = Pick<Leadership, 'signal' | 'remainingMs' | 'assertHeld'>;

/**
 * The writes of a leader. Each is checked against the lease at the last moment before its bytes leave, is given up when
 * the lease ends, and carries a precondition on the state it was decided upon. So a process that was paused or cut off and
 * continues after another took over either does not send, or is refused by the server.
 *
 * - `create` needs a name: the server refuses a second object of that name.
 * - `replace` and `patch` need the resourceVersion that was read.
 * - `delete` and `apply` say what should be, not what to change: they take the uid and resourceVersion that are given (`decidedOn` of an apply
 *   costs no read), or read the present ones while the lease is held. Applying an object that does not exist yet has
 *   no precondition that a server knows; there the check at the last moment stands alone.
 */
export class FencedWriter implements KubeWriter {
  readonly #client: KubeReader & KubeWriter;
  readonly #leadership: HeldLease;

  constructor(client: KubeReader & KubeWriter, leadership: HeldLease) {
    this.#client = client;
    this.#leadership = leadership;
  }

  async create<T extends KubeObject>(type: ResourceType<T>, object: T, options: WriteOptions = {}): Promise<T> {
    if (object.metadata?.name === undefined)
      throw refused(`create ${type.kind}`, 'metadata.name', 'generateName makes a new object each time');
    return await this.#write(options, (fenced) => this.#client.create(type, object, fenced));
  }

  async replace<T extends KubeObject>(type: ResourceType<T>, object: T, options: WriteOptions = {}): Promise<T> {
    if (!isSet(object.metadata?.resourceVersion)) throw refused(`replace ${describeRef(type, refOf(object))}`, 'metadata.resourceVersion');
    return await this.#write(options, (fenced) => this.#client.replace(type, object, fenced));
  }

  async patch<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, patch: Patch, options: WriteOptions = {}): Promise<T> {
    if (!hasPrecondition(patch)) {
      const field = patch.kind === 'json' ? 'a test of /metadata/resourceVersion' : 'metadata.resourceVersion';
      throw refused(`patch ${describeRef(type, ref)}`, field);
    }
    return await this.#write(options, (fenced) => this.#client.patch(type, ref, patch, fenced));
  }

  async apply<T extends KubeObject>(type: ResourceType<T>, object: T, options: ApplyOptions): Promise<T> {
    const { decidedOn } = options;
    if (typeof decidedOn === 'object' && !(isSet(decidedOn.uid) && isSet(decidedOn.resourceVersion))) {
      throw refused(`apply ${describeRef(type, refOf(object))}`, 'decidedOn.uid and decidedOn.resourceVersion');
    }
    const based = decidedOn === undefined ? await this.#basedOnPresent(type, object) : object;
    return await this.#write(options, (fenced) => this.#client.apply(type, based, fenced));
  }

  async delete<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options: DeleteOptions = {}): Promise<void> {
    const preconditions = options.preconditions ?? (await this.#presentPreconditions(type, ref));
    if (preconditions === undefined) return;
    if (!isSet(preconditions.uid) && !isSet(preconditions.resourceVersion)) {
      throw refused(`delete ${describeRef(type, ref)}`, 'preconditions.uid or preconditions.resourceVersion');
    }
    await this.#write({ ...options, preconditions }, (fenced) => this.#client.delete(type, ref, fenced));
  }

  /** Undefined when there is nothing to delete. */
  async #presentPreconditions<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef): Promise<DeleteOptions['preconditions']> {
    const present = await this.#find(type, ref);
    if (present === undefined) return undefined;
    const { uid = '', resourceVersion = '' } = present.metadata ?? {};
    return { uid, resourceVersion };
  }

  /** The server checks the resourceVersion only while the object exists; the uid keeps it from being created anew by accident. */
  async #basedOnPresent<T extends KubeObject>(type: ResourceType<T>, object: T): Promise<T> {
    if (isSet(object.metadata?.resourceVersion) && isSet(object.metadata?.uid)) return object;
    const present = await this.#find(type, refOf(object));
    const resourceVersion = object.metadata?.resourceVersion ?? present?.metadata?.resourceVersion;
    const uid = object.metadata?.uid ?? present?.metadata?.uid;
    if (resourceVersion === undefined) return object;
    if (uid === undefined) {
      throw new StatusError('aborted', `apply ${describeRef(type, refOf(object))}: the object that was read is gone: decide again`);
    }
    return { ...object, metadata: { ...object.metadata, resourceVersion, uid } };
  }

  async #find<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef): Promise<T | undefined> {
    this.#leadership.assertHeld();
    return await this.#client.find(type, ref, { signal: this.#leadership.signal });
  }

  async #write<O extends RequestOptions, R>(options: O, send: (fenced: O) => Promise<R>): Promise<R> {
    await steps.reached('decided');
    const answer = await send(this.#fence(options));
    await steps.reached('written');
    return answer;
  }

  #fence<O extends RequestOptions>(options: O): O {
    const remainingMs = Math.max(this.#leadership.remainingMs(), 1);
    const signals = options.signal === undefined ? [] : [options.signal];
    return {
      ...options,
      timeoutMs: Math.min(options.timeoutMs ?? remainingMs, remainingMs),
      signal: AbortSignal.any([this.#leadership.signal, ...signals]),
      guard: () => {
        this.#leadership.assertHeld();
        options.guard?.();
      },
    };
  }
}

function hasPrecondition(patch: Patch): boolean {
  if (patch.kind === 'json') return patch.operations.some(({ op, path }) => op === 'test' && path === '/metadata/resourceVersion');
  return isSet((patch.body as KubeObject).metadata?.resourceVersion);
}

function isSet(text: string | undefined): boolean {
  return text !== undefined && text !== '';
}

function refused(what: string, field: string, why = 'without it a paused leader could overwrite its successor'): StatusError {
  return new StatusError('invalid_argument', `${what}: a leader's write needs ${field}: ${why}`);
}
