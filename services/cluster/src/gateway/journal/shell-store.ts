import { tenantShellType } from '@quartermaster/api/tenant-shell';
import type { Clock } from '@quartermaster/kernel';
import type { Cache, CacheOpener, KubeWriter } from '@quartermaster/kube';
import { isFailure } from '@quartermaster/kube';
import { orderName } from '../../reservations/order-name.ts';
import { readShell, type ShellRecord } from './shell-record.ts';

export interface ShellStoreOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** No shell lasts longer. */
  readonly longestMs: number;
}

/** What a replica that stops has to write the end, and clocks differ. */
const graceMs = 60_000;

/** The outcome of one whose end nobody recorded: the process that served it was killed, or could not write. */
const unknownEnd = 'unknown end';

/** The shells of tenants that are on record: on every replica as the API server has them. */
export class ShellStore {
  readonly #cache: Cache<ShellRecord>;
  readonly #options: ShellStoreOptions;

  constructor(caches: CacheOpener, options: ShellStoreOptions) {
    this.#options = options;
    this.#cache = caches.open({
      type: tenantShellType,
      project: readShell,
      indexes: { lease: ({ value }) => [orderName(value.lease)] },
    });
  }

  all(): readonly ShellRecord[] {
    return [...this.#cache.entries()].map(({ value }) => this.#shown(value));
  }

  /** Of the lease of this order. */
  of(name: string): readonly ShellRecord[] {
    return this.#cache.byIndex('lease', name).map(({ value }) => this.#shown(value));
  }

  /** That they are not known, or not being followed. */
  problem(): string | undefined {
    if (this.#cache.status().absent)
      return 'the cluster does not know the kind TenantShell, and without it no shell is opened: apply what `quartermaster manifests service-cluster` prints';
    return this.#cache.stale()?.reason;
  }

  async remove(writer: Pick<KubeWriter, 'delete'>, { name, uid }: Pick<ShellRecord, 'name' | 'uid'>, signal: AbortSignal): Promise<void> {
    try {
      await writer.delete(tenantShellType, { name }, { preconditions: { uid }, signal });
    } catch (thrown) {
      if (!isFailure(thrown, 'conflict', 'not-found')) throw thrown;
    }
  }

  #shown(record: ShellRecord): ShellRecord {
    const { clock, longestMs } = this.#options;
    const isOver = record.closedAt === undefined && record.openedAt + longestMs + graceMs <= clock.now();
    return isOver ? { ...record, outcome: unknownEnd } : record;
  }
}
