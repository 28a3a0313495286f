import { StatusError } from '@quartermaster/kernel';
import type {
  ApplyOptions,
  DeleteOptions,
  KubeObject,
  KubeWriter,
  ObjectRef,
  Patch,
  ResourceType,
  WriteOptions,
} from '@quartermaster/kube';

type Fate = 'dies' | 'hears-nothing';

/** The writes of a process, which may be killed after one of them, or never hear what became of it. The server has it in either case. */
export class MortalWriter implements KubeWriter {
  /** What was written, in the order in which it was sent. */
  readonly sent: string[] = [];
  readonly #writer: KubeWriter;
  readonly #onDeath: () => void;
  #fate: { readonly at: number; readonly fate: Fate } | undefined;
  #isDead = false;

  constructor(writer: KubeWriter, onDeath: () => void) {
    this.#writer = writer;
    this.#onDeath = onDeath;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** It was so far that the write with the fate was sent. */
  get wasMet(): boolean {
    return this.#fate !== undefined && this.sent.length >= this.#fate.at;
  }

  /** Of the n-th write from now on. */
  meets(fate: Fate, n: number): void {
    this.#fate = { at: this.sent.length + n, fate };
  }

  create<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T> {
    return this.send(`create ${textOf(type, object.metadata)}`, () => this.#writer.create(type, object, options));
  }

  replace<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T> {
    return this.send(`replace ${textOf(type, object.metadata)}`, () => this.#writer.replace(type, object, options));
  }

  patch<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, patch: Patch, options?: WriteOptions): Promise<T> {
    return this.send(`patch ${textOf(type, ref)}`, () => this.#writer.patch(type, ref, patch, options));
  }

  apply<T extends KubeObject>(type: ResourceType<T>, object: T, options: ApplyOptions): Promise<T> {
    return this.send(`apply ${textOf(type, object.metadata)}`, () => this.#writer.apply(type, object, options));
  }

  delete<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options?: DeleteOptions): Promise<void> {
    return this.send(`delete ${textOf(type, ref)}`, () => this.#writer.delete(type, ref, options));
  }

  /** A write that goes elsewhere than to the API server counts as well. */
  async send<T>(what: string, write: () => Promise<T>): Promise<T> {
    // Nothing of a dead process goes on: neither this call nor who waits for it.
    if (this.#isDead) return await never();
    this.sent.push(what);
    if (this.sent.length !== this.#fate?.at) {
      const answer = await write();
      return this.#isDead ? await never() : answer;
    }
    if (this.#fate.fate === 'hears-nothing') {
      await write();
      throw new StatusError('unavailable', 'no answer from the API server', { details: { kind: 'connection', errno: 'ECONNRESET' } });
    }
    // Whatever else is sent meanwhile is too late.
    this.#isDead = true;
    await write().catch(() => undefined);
    this.#onDeath();
    return await never();
  }
}

const never = (): Promise<never> => new Promise(() => {});

const textOf = ({ kind }: ResourceType, { namespace, name }: { namespace?: string | undefined; name?: string | undefined } = {}): string =>
  `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
