import { StatusError } from '@quartermaster/kernel';
import type {
  ApplyOptions,
  DeleteOptions,
  KubeClient,
  KubeObject,
  KubeReader,
  KubeWriter,
  ListOptions,
  ObjectList,
  ObjectRef,
  Patch,
  ReadOptions,
  ResourceType,
  WriteOptions,
} from '@quartermaster/kube';

type Method = 'create' | 'patch' | 'delete';

/** A client whose connection is lost in one of its writes: before the server has it, or before the answer is back. */
export class LossyWriter implements KubeReader, KubeWriter {
  readonly #client: KubeClient;
  /** Told when a write is lost. */
  onLoss: () => void = () => {};
  #next: { readonly method: Method; readonly when: 'before' | 'after' } | undefined;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  lose(method: Method, when: 'before' | 'after'): void {
    this.#next = { method, when };
  }

  get<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options?: ReadOptions): Promise<T> {
    return this.#client.get(type, ref, options);
  }

  find<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options?: ReadOptions): Promise<T | undefined> {
    return this.#client.find(type, ref, options);
  }

  list<T extends KubeObject>(type: ResourceType<T>, options?: ListOptions): Promise<ObjectList<T>> {
    return this.#client.list(type, options);
  }

  create<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T> {
    return this.#write('create', () => this.#client.create(type, object, options));
  }

  replace<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T> {
    return this.#client.replace(type, object, options);
  }

  patch<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, patch: Patch, options?: WriteOptions): Promise<T> {
    return this.#write('patch', () => this.#client.patch(type, ref, patch, options));
  }

  apply<T extends KubeObject>(type: ResourceType<T>, object: T, options: ApplyOptions): Promise<T> {
    return this.#client.apply(type, object, options);
  }

  delete<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options?: DeleteOptions): Promise<void> {
    return this.#write('delete', () => this.#client.delete(type, ref, options));
  }

  async #write<T>(method: Method, write: () => Promise<T>): Promise<T> {
    const lost = this.#next?.method === method ? this.#next : undefined;
    if (lost !== undefined) this.#next = undefined;
    if (lost?.when !== 'before') {
      const answer = await write();
      if (lost === undefined) return answer;
    }
    this.onLoss();
    throw new StatusError('unavailable', `${method}: no answer from the API server`, {
      details: { kind: 'connection', errno: 'ECONNRESET' },
    });
  }
}
