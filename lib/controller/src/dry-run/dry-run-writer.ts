import {
  type ApplyOptions,
  type DeleteOptions,
  type KubeObject,
  type KubeReader,
  type KubeWriter,
  type ObjectRef,
  type Patch,
  type ResourceType,
  refOf,
  type WriteOptions,
} from '@quartermaster/kube';
import { type DryRunWrite, dryRunWrite } from './dry-run-write.ts';

/**
 * A writer that changes nothing: every write goes to the server as a dry run, so that admission, validation and defaulting are
 * real, and is reported with what it would have changed. A refused write fails as the real one would and is not reported.
 *
 * Since nothing is stored, a later write that builds on an object that an earlier one would have created fails with `not_found`.
 */
export class DryRunWriter implements KubeWriter {
  readonly #server: KubeReader & KubeWriter;
  readonly #report: (write: DryRunWrite) => void;

  constructor(options: { readonly server: KubeReader & KubeWriter; readonly report: (write: DryRunWrite) => void }) {
    this.#server = options.server;
    this.#report = options.report;
  }

  async create<T extends KubeObject>(type: ResourceType<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const after = await this.#server.create(type, object, { ...options, dryRun: true });
    const ref = after.metadata?.name === undefined ? refOf(object) : refOf(after);
    this.#report(dryRunWrite({ verb: 'create', type, ref, subresource: options.subresource, before: undefined, after }));
    return after;
  }

  async replace<T extends KubeObject>(type: ResourceType<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const ref = refOf(object);
    const before = await this.#find(type, ref, options);
    const after = await this.#server.replace(type, object, { ...options, dryRun: true });
    this.#report(dryRunWrite({ verb: 'replace', type, ref, subresource: options.subresource, before, after }));
    return after;
  }

  async patch<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, patch: Patch, options: WriteOptions = {}): Promise<T> {
    const before = await this.#find(type, ref, options);
    const after = await this.#server.patch(type, ref, patch, { ...options, dryRun: true });
    this.#report(dryRunWrite({ verb: 'patch', type, ref, subresource: options.subresource, before, after }));
    return after;
  }

  async apply<T extends KubeObject>(type: ResourceType<T>, object: T, options: ApplyOptions): Promise<T> {
    const ref = refOf(object);
    const before = await this.#find(type, ref, options);
    const after = await this.#server.apply(type, object, { ...options, dryRun: true });
    this.#report(dryRunWrite({ verb: 'apply', type, ref, subresource: options.subresource, before, after }));
    return after;
  }

  async delete<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options: DeleteOptions = {}): Promise<void> {
    const before = await this.#find(type, ref, options);
    await this.#server.delete(type, ref, { ...options, dryRun: true });
    this.#report(dryRunWrite({ verb: 'delete', type, ref, subresource: undefined, before, after: undefined }));
  }

  async #find<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options: WriteOptions | DeleteOptions): Promise<T | undefined> {
    const subresource = 'subresource' in options ? options.subresource : undefined;
    const { signal, timeoutMs } = options;
    return await this.#server.find(type, ref, { subresource, signal, timeoutMs });
  }
}
