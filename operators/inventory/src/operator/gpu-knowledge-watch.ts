import { type Clock, type Log, type Random, silentLog } from '@quartermaster/kernel';
import { type CacheOpener, kinds, type ObjectRef } from '@quartermaster/kube';
import { shippedGpuDatabase } from '../gpu/gpu-database.ts';
import { GpuDatabaseRefresher } from '../gpu/gpu-database-refresher.ts';
import { GpuOverrides } from '../gpu/gpu-overrides.ts';
import type { GpuKnowledge } from '../gpu/identify-gpu.ts';
import { readPciNames } from './read-pci-names.ts';

export interface GpuKnowledgeOptions {
  readonly caches: CacheOpener;
  /** Where a newer database is; the shipped one alone when undefined. */
  readonly databaseUrl: string | undefined;
  readonly refreshIntervalMs: number;
  /** The ConfigMap whose key `gpus.json` holds local corrections. */
  readonly overrides: ObjectRef;
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: Log | undefined;
  readonly changed: (knowledge: GpuKnowledge) => void;
}

export interface RunningGpuKnowledge {
  readonly current: GpuKnowledge;
  /** What does not work, as a sentence, or undefined. */
  problem(): string | undefined;
  /** Why the operating system's names of PCI devices are missing, or undefined. They are the last resort: nothing else suffers. */
  readonly pciProblem: string | undefined;
  stop(): Promise<void>;
}

const overridesKey = 'gpus.json';

/** Keeps what is known of cards: the shipped database, a newer one from the network, and the provider's own corrections. */
export async function watchGpuKnowledge(options: GpuKnowledgeOptions): Promise<RunningGpuKnowledge> {
  const { caches, databaseUrl, refreshIntervalMs, overrides: ref, clock, random, log = silentLog, changed } = options;
  const { names: pciNames, problem: pciProblem } = await readPciNames();
  if (pciProblem !== undefined) log.info('names of PCI devices not read', { problem: pciProblem });
  const overrides = new GpuOverrides();
  let database = shippedGpuDatabase();
  const current = (): GpuKnowledge => ({ overrides: overrides.current, database, pciNames });
  const refresher =
    databaseUrl === undefined
      ? undefined
      : new GpuDatabaseRefresher({
          url: databaseUrl,
          initial: database,
          intervalMs: refreshIntervalMs,
          clock,
          random,
          log,
          onChange: (newer) => {
            database = newer;
            changed(current());
          },
        });
  const take = (text: string | undefined): void => {
    const problem = overrides.problem;
    if (overrides.set(text)) changed(current());
    else if (overrides.problem !== undefined && overrides.problem !== problem) {
      log.warn('GPU overrides ignored, the last good ones stay', { configMap: `${ref.namespace}/${ref.name}`, error: overrides.problem });
    }
  };
  const cache = caches.open({
    name: 'gpu-overrides',
    type: kinds.configMaps,
    namespace: ref.namespace,
    fieldSelector: `metadata.name=${ref.name}`,
    fields: { data: true },
    project: ({ data }) => data?.[overridesKey],
  });
  cache.subscribe({ added: ({ value }) => take(value), updated: ({ value }) => take(value), deleted: () => take(undefined) });
  const ending = new AbortController();
  const refreshing = refresher?.run(ending.signal);
  return {
    get current() {
      return current();
    },
    problem: () => overrides.problem ?? refresher?.status().problem,
    pciProblem,
    stop: async () => {
      ending.abort();
      await Promise.all([refreshing, cache.stop()]);
    },
  };
}
