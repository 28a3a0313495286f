import type { TenantShell } from '@quartermaster/api/tenant-shell';
import { StatusError } from '@quartermaster/kernel';
import type { LeaseId } from '../../model/lease.ts';
import type { OpenedShell } from '../streams/shell-journal.ts';

/** A shell of a tenant, as its object says. Times are of the wall clock, milliseconds. */
export interface ShellRecord {
  /** Sorts by time. */
  readonly name: string;
  readonly uid: string;
  readonly lease: LeaseId;
  readonly proof: 'certificate' | 'token';
  readonly fingerprint: string;
  /** Without the port. */
  readonly address: string;
  readonly service: string;
  readonly pod: string;
  readonly replica: string;
  readonly openedAt: number;
  readonly closedAt?: number | undefined;
  /** Exit code, or why it ended; empty while that is not known. */
  readonly outcome: string;
}

interface RecordedBy {
  readonly name: string;
  readonly replica: string;
  readonly openedAt: number;
}

export function shellObject({ lease, tenant, peer, service, pod }: OpenedShell, { name, replica, openedAt }: RecordedBy): TenantShell {
  const { owner, dseq, gseq, oseq, provider } = lease;
  return {
    metadata: { name },
    spec: {
      lease: { owner, dseq: String(dseq), gseq, oseq, provider },
      ...{ proof: tenant.proof, fingerprint: tenant.fingerprint, address: peer.replace(/:\d*$/, '') },
      ...{ service, pod, replica, openedAt: new Date(openedAt).toISOString() },
    },
  };
}

/** Throws `failed_precondition` of one that names no lease. */
export function readShell({ metadata, spec, status = {} }: TenantShell): ShellRecord {
  const { name = '', uid = '', creationTimestamp = '' } = metadata ?? {};
  const { lease, openedAt, ...said } = spec;
  if (!/^\d{1,20}$/.test(lease.dseq))
    throw new StatusError('failed_precondition', `TenantShell ${name} names no lease: its dseq is no number`);
  return {
    ...{ name, uid, ...said },
    lease: { ...lease, dseq: BigInt(lease.dseq) },
    openedAt: timeOf(openedAt) ?? timeOf(creationTimestamp) ?? 0,
    closedAt: timeOf(status.closedAt),
    outcome: status.outcome ?? '',
  };
}

function timeOf(text = ''): number | undefined {
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
