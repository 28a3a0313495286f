import type { Clock, Log, Random } from '@quartermaster/kernel';
import { type Cache, type CacheOpener, type KubeWriter, keyText, kinds } from '@quartermaster/kube';
import { type GpuDatabase, mergedGpuDatabase, parseGpuDatabase, shippedGpuDatabase } from '../gpu/gpu-database.ts';
import { GpuDatabaseRefresher, hashOf } from '../gpu/gpu-database-refresher.ts';
import { packGpuDatabase, unpackGpuDatabase } from '../gpu/packed-gpu-database.ts';
import { mapOf, object, optional, shaped, text } from '../observe/shape.ts';

export interface KeptGpuDatabaseOptions {
  readonly caches: CacheOpener;
  readonly url: string;
  readonly refreshIntervalMs: number;
  readonly namespace: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly changed: () => void;
}

interface KeptCopy {
  readonly database: GpuDatabase;
  readonly hash: string;
}

/** The ConfigMap with what was last read from the URL, and its key. */
const name = 'quartermaster-gpu-database';
const key = 'gpus.json.gz';
const copyShape = object<{ readonly binaryData?: Readonly<Record<string, string>> | undefined }>({ binaryData: optional(mapOf(text)) });

/**
 * The shipped GPU database with a newer one from the network on top. The newer one is in force once it is in its ConfigMap, from where every replica
 * reads it: so all of them call a card the same, after a restart as well.
 */
export class KeptGpuDatabase {
  readonly copies: Cache<KeptCopy>;
  readonly #options: KeptGpuDatabaseOptions;
  readonly #refresher: GpuDatabaseRefresher;
  readonly #shipped = shippedGpuDatabase();
  #kept: KeptCopy | undefined;
  #current = this.#shipped;

  constructor(options: KeptGpuDatabaseOptions) {
    const { caches, url, refreshIntervalMs: intervalMs, namespace, clock, random, log } = options;
    this.#options = options;
    this.#refresher = new GpuDatabaseRefresher({ url, intervalMs, clock, random, log });
    this.copies = caches.open({
      name: 'gpu-database',
      type: kinds.configMaps,
      namespace,
      fieldSelector: `metadata.name=${name}`,
      fields: { binaryData: true },
      project: shaped(copyShape, ({ binaryData }): KeptCopy => {
        const unpacked = unpackGpuDatabase(binaryData?.[key] ?? '');
        return { database: parseGpuDatabase(unpacked), hash: hashOf(unpacked) };
      }),
    });
    const take = ({ value }: { readonly value: KeptCopy }): void => this.#take(value);
    // One that somebody deletes is written again at the next refresh; until then, what it said still holds.
    this.copies.subscribe({ added: take, updated: take });
  }

  get current(): GpuDatabase {
    return this.#current;
  }

  /** Whether a newer database may be about to come into force: one is being asked for or written, or the kept one cannot be read. */
  get isUndecided(): boolean {
    if (this.#kept !== undefined) return false;
    return this.copies.unreadable().length > 0 || this.#refresher.problem === undefined;
  }

  get problem(): string | undefined {
    return this.#refresher.problem;
  }

  /** Keeps the ConfigMap like the database at the URL until the signal aborts: the leader's work, by its writer. */
  async refresh(writer: Pick<KubeWriter, 'apply'>, signal: AbortSignal): Promise<void> {
    const { namespace, url, log } = this.#options;
    const hash = (): string | undefined => this.copies.get(keyText({ namespace, name }))?.value.hash;
    const copy = {
      get hash() {
        return hash();
      },
      keep: async (newer: string, ending: AbortSignal) => {
        const kept = { metadata: { namespace, name }, binaryData: { [key]: packGpuDatabase(newer) } };
        await writer.apply(kinds.configMaps, kept, { fieldManager: 'quartermaster-inventory', force: true, signal: ending });
        log.info('GPU database replaced', { url });
      },
    };
    // Before it is known what is kept, there is nothing to compare with. Only the signal ends the waiting otherwise.
    await this.copies.whenSynced(signal).catch(() => undefined);
    await this.#refresher.run(copy, signal);
  }

  #take(copy: KeptCopy): void {
    if (copy.hash === this.#kept?.hash) return;
    this.#kept = copy;
    this.#current = mergedGpuDatabase(this.#shipped, copy.database);
    this.#options.changed();
  }
}
