import type { Clock } from '@quartermaster/kernel';
import type { Database } from '@quartermaster/store';
import type { Kinds } from '../kinds/kinds.ts';

/** What applying the hosts of sources needs. */
export interface ApplyOptions {
  readonly database: Database;
  readonly kinds: Pick<Kinds, 'hosts' | 'host_classes' | 'clusters'>;
  readonly clock: Clock;
  /** UUIDv7. */
  readonly newId: () => string;
  /** Something was written: readers of the feed may look. */
  readonly onWritten: () => void;
  /**
   * Whether a source may take over a host that was created by hand and is the same machine by its id, serial, system UUID or a MAC address. Default: no;
   * such a host is a conflict, for a person to decide.
   */
  readonly mayAdopt?: boolean | undefined;
}

/** Locks that one transaction takes at most. */
export const maxLocksAtOnce = 900;
export const maxBatchSize = 1000;
