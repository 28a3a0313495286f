import type { Clock, Log, Random } from '@quartermaster/kernel';
import type { KubeClient } from '@quartermaster/kube';
import type { StorageClassFacts } from '../../model/storage-inventory.ts';
import type { PromisedVolumes } from './volume-ledger.ts';

/** What every querier works with. */
export interface QuerierContext {
  readonly client: KubeClient;
  /** Of all classes, followed by the watch that owns the queriers. */
  readonly volumes: PromisedVolumes;
  readonly classOf: (name: string) => StorageClassFacts | undefined;
  /** To be called when an answer may have changed. */
  readonly changed: () => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}
