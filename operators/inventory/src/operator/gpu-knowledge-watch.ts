import { type Clock, type Log, type Random, silentLog } from '@quartermaster/kernel';
import { type CacheOpener, type KubeWriter, kinds } from '@quartermaster/kube';
import { shippedGpuDatabase } from '../gpu/gpu-database.ts';
import { GpuOverrides } from '../gpu/gpu-overrides.ts';
import type { GpuKnowledge } from '../gpu/identify-gpu.ts';
import type { StaleSource } from '../model/node-inventory.ts';
import { textsShape } from '../observe/config-map-shape.ts';
import { FollowedSources } from '../observe/followed-sources.ts';
import { shaped } from '../observe/shape.ts';
import { KeptGpuDatabase } from './kept-gpu-database.ts';
import { readPciNames } from './read-pci-names.ts';

export interface GpuKnowledgeOptions {
  readonly caches: CacheOpener;
  /** Where a newer database is; the shipped one alone when undefined. */
  readonly databaseUrl: string | undefined;
  readonly refreshIntervalMs: number;
  /** Of the ConfigMaps with local corrections and with the newer database. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: Log | undefined;
  readonly changed: () => void;
}

export interface RunningGpuKnowledge {
  readonly current: GpuKnowledge;
  /** Whether something that may call cards otherwise has not been read. */
  readonly isUndecided: boolean;
  /** Resolves when overrides and the newer database have been read, or cannot be. */
  whenRead(signal: AbortSignal): Promise<void>;
  stale(): readonly StaleSource[];
  /** Reads newer databases until the signal aborts: the leader's work, by its writer. */
  refresh(writer: Pick<KubeWriter, 'apply'>, signal: AbortSignal): Promise<void>;
  /** What does not work, as a sentence, or undefined. */
  problem(): string | undefined;
  /** Why the operating system's names of PCI devices are missing, or undefined. They are the last resort: nothing else suffers. */
  readonly pciProblem: string | undefined;
  stop(): Promise<void>;
}

/** The name of the ConfigMap with local corrections of the GPU database. */
export const overridesName = 'quartermaster-gpu-overrides';
const overridesKey = 'gpus.json';

/** Keeps what is known of cards: the shipped database, a newer one from the network, and the provider's own corrections. */
export async function watchGpuKnowledge(options: GpuKnowledgeOptions): Promise<RunningGpuKnowledge> {
  const { caches, databaseUrl: url, namespace, clock, random, log = silentLog, changed, refreshIntervalMs } = options;
  const { names: pciNames, problem: pciProblem } = await readPciNames();
  if (pciProblem !== undefined) log.info('names of PCI devices not read', { problem: pciProblem });
  const overrides = new GpuOverrides();
  const shipped = shippedGpuDatabase();
  const newer =
    url === undefined ? undefined : new KeptGpuDatabase({ caches, url, refreshIntervalMs, namespace, clock, random, log, changed });
  const take = (written: string | undefined): void => {
    const problem = overrides.problem;
    if (overrides.set(written)) changed();
    else if (overrides.problem !== undefined && overrides.problem !== problem) {
      log.warn('GPU overrides ignored, the last good ones stay', { configMap: `${namespace}/${overridesName}`, error: overrides.problem });
    }
  };
  const cache = caches.open({
    name: 'gpu-overrides',
    type: kinds.configMaps,
    namespace,
    fieldSelector: `metadata.name=${overridesName}`,
    fields: { data: true },
    project: shaped(textsShape, ({ data }) => data?.[overridesKey]),
  });
  cache.subscribe({ added: ({ value }) => take(value), updated: ({ value }) => take(value), deleted: () => take(undefined) });
  const sources = new FollowedSources(newer === undefined ? [cache] : [cache, newer.copies], clock);
  return {
    get current() {
      return { overrides: overrides.current, database: newer?.current ?? shipped, pciNames };
    },
    get isUndecided() {
      const isOverrideUnread = cache.unreadable().some(({ key }) => cache.get(key) === undefined);
      return !sources.haveAnswered() || isOverrideUnread || overrides.isUnknown || newer?.isUndecided === true;
    },
    whenRead: (signal) => sources.whenReady(signal),
    stale: () => sources.stale(),
    refresh: async (writer, signal) => await newer?.refresh(writer, signal),
    problem: () => overrides.problem ?? newer?.problem,
    pciProblem,
    stop: () => sources.stop(),
  };
}
