import type { Clock, Log } from '@quartermaster/kernel';
import type { CacheOpener, KubeClient } from '@quartermaster/kube';
import type { StorageClassFacts } from '../../model/storage-inventory.ts';
import type { FollowedSources } from '../../observe/followed-sources.ts';
import type { PromisedVolumes, VolumeGroup } from './volume-ledger.ts';

/** What every querier works with. */
export interface QuerierContext {
  readonly client: KubeClient;
  readonly caches: CacheOpener;
  /** Of all classes, followed by the watch that owns the queriers. */
  readonly volumes: PromisedVolumes;
  /** Where `volumes` come from. */
  readonly promises: Pick<FollowedSources, 'haveAnswered' | 'hasUnread'>;
  /** Whether there is such a class, or may be: not all classes could be read. */
  readonly mayHaveClass: (isMeant: (storageClass: StorageClassFacts) => boolean) => boolean;
  /** Whether there is such a volume, or may be: they were never read. */
  readonly mayHaveVolume: (isMeant: (volumes: VolumeGroup) => boolean) => boolean;
  /** Those that could be read. */
  readonly classes: () => Iterable<StorageClassFacts>;
  readonly classOf: (name: string) => StorageClassFacts | undefined;
  /** To be called when an answer may have changed. */
  readonly changed: () => void;
  readonly clock: Clock;
  readonly log: Log;
}
