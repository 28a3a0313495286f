import type { LeaseId } from '../../model/lease.ts';
import type { Tenant } from '../who/tenant.ts';

/** Who opened a shell, from where, and in what. Not what was said in it. */
export interface OpenedShell {
  readonly lease: LeaseId;
  readonly tenant: Tenant;
  /** `192.0.2.7:51432` */
  readonly peer: string;
  readonly pod: string;
  readonly service: string;
}

export interface ShellJournal {
  /** Resolves once it is recorded; a shell that cannot be recorded is not opened. */
  opened(shell: OpenedShell): Promise<{ readonly closed: (outcome: string | number) => void }>;
}
