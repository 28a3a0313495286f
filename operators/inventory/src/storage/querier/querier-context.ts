import type { Clock, Log } from '@quartermaster/kernel';
import type { CacheOpener, KubeClient } from '@quartermaster/kube';
import type { StorageClassFacts } from '../../model/storage-inventory.ts';
import type { PromisedVolumes } from './volume-ledger.ts';

/** What every querier works with. */
export interface QuerierContext {
  readonly client: KubeClient;
  readonly caches: CacheOpener;
  /** Of all classes, followed by the watch that owns the queriers. */
  readonly volumes: PromisedVolumes;
  readonly classOf: (name: string) => StorageClassFacts | undefined;
  /** To be called when an answer may have changed. */
  readonly changed: () => void;
  readonly clock: Clock;
  readonly log: Log;
}
