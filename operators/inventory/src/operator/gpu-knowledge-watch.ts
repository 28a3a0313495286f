import { readFile } from 'node:fs/promises';
import { type Clock, type Log, type Random, silentLog } from '@quartermaster/kernel';
import { type KubeClient, kinds, type ObjectRef, startCache } from '@quartermaster/kube';
import { shippedGpuDatabase } from '../gpu/gpu-database.ts';
import { GpuDatabaseRefresher } from '../gpu/gpu-database-refresher.ts';
import { GpuOverrides } from '../gpu/gpu-overrides.ts';
import type { GpuKnowledge } from '../gpu/identify-gpu.ts';
import { type PciNames, parsePciIds } from '../gpu/pci-ids.ts';

export interface GpuKnowledgeOptions {
  readonly client: KubeClient;
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
  stop(): Promise<void>;
}

const overridesKey = 'gpus.json';
const pciIdFiles = ['/usr/share/misc/pci.ids', '/usr/share/hwdata/pci.ids', '/usr/share/pci.ids'];

/** Keeps what is known of cards: the shipped database, a newer one from the network, and the provider's own corrections. */
export async function watchGpuKnowledge(options: GpuKnowledgeOptions): Promise<RunningGpuKnowledge> {
  const { client, databaseUrl, refreshIntervalMs, overrides: ref, clock, random, log = silentLog, changed } = options;
  const pciNames = await readPciNames();
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
  const cache = startCache(client, {
    type: kinds.configMaps,
    namespace: ref.namespace,
    fieldSelector: `metadata.name=${ref.name}`,
    fields: { data: true },
    project: ({ data }) => data?.[overridesKey],
    clock,
    random,
    log,
  });
  cache.subscribe({ added: ({ value }) => take(value), updated: ({ value }) => take(value), deleted: () => take(undefined) });
  const ending = new AbortController();
  const refreshing = refresher?.run(ending.signal);
  return {
    get current() {
      return current();
    },
    problem: () => overrides.problem ?? refresher?.status().problem,
    stop: async () => {
      ending.abort();
      await Promise.all([refreshing, cache.stop()]);
    },
  };
}

/** The names of the operating system's own database; empty where there is none: names are the last resort. */
async function readPciNames(): Promise<PciNames> {
  for (const file of pciIdFiles) {
    try {
      return parsePciIds(await readFile(file, 'utf8'));
    } catch {
      // Not here: the next one.
    }
  }
  return new Map();
}
