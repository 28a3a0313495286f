import type { Clock } from '@quartermaster/kernel';
import type { Database } from '@quartermaster/store';
import type { Kinds } from '../kinds/kinds.ts';

/** What assigning hosts needs. */
export interface AssignOptions {
  readonly database: Database;
  readonly kinds: Pick<Kinds, 'hosts' | 'clusters'>;
  readonly clock: Clock;
  /** UUIDv7. */
  readonly newId: () => string;
  /** Something was written: readers of the feed may look. */
  readonly onWritten: () => void;
}

/** Hosts that one transaction writes at most, for the sake of PostgreSQL's table of locks. */
export const maxHostsAtOnce = 900;
