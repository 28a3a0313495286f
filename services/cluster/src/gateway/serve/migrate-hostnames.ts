import { fieldViolationsOf, StatusError } from '@quartermaster/kernel';
import * as z from 'zod';
import type { HostnameBook } from '../../hostnames/hostname-book.ts';
import { isRefusal, normalHostname } from '../../hostnames/normal-hostname.ts';
import { type HostnameTerms, wantedHostnames } from '../../hostnames/wanted-hostnames.ts';
import type { LeaseSight } from '../../known-leases/lease-sight.ts';
import type { RecordStore } from '../../known-leases/record-store.ts';
import { granted } from '../who/granted.ts';
import type { Tenant } from '../who/tenant.ts';
import type { TenantActions } from './leader-actions.ts';
import type { LeaseDoor } from './lease-door.ts';
import { dseqOf } from './query-values.ts';

const most = 100;

const requestBody = z.strictObject({
  hostnames_to_migrate: z.array(z.string().min(1).max(253)).min(1).max(most),
  destination_dseq: z.union([z.string(), z.int().min(1)]),
  destination_gseq: z.int().min(1),
});

export interface MigrateHostnamesOptions {
  readonly door: Pick<LeaseDoor, 'ofDeployment' | 'openWhole'>;
  readonly records: Pick<RecordStore, 'of'>;
  readonly hostnames: Pick<HostnameBook, 'holderOf'>;
  readonly terms: HostnameTerms;
  readonly actions: Pick<TenantActions, 'transferHostname'>;
}

interface Move {
  readonly hostname: string;
  readonly service: string;
}

/** Moves hostnames to another lease of their owner, whose manifest has them already. Whether all of them may be moved is decided before the first is. */
export async function migrateHostnames(
  options: MigrateHostnamesOptions,
  tenant: Tenant,
  body: unknown,
  signal: AbortSignal,
): Promise<void> {
  const { door, actions } = options;
  const read = requestBody.safeParse(body);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new StatusError('invalid_argument', `${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'is not as it must be'}`);
  }
  const { hostnames_to_migrate: hostnames, destination_dseq: dseqText, destination_gseq: gseq } = read.data;
  const dseq = dseqOf(String(dseqText));
  const record = door.ofDeployment(tenant, dseq, 'hostname-migrate').find(({ lease }) => lease.gseq === gseq);
  if (record === undefined)
    throw new StatusError('not_found', `destination_gseq: deployment ${dseq} has no open lease of group ${gseq} that may get hostnames`);
  const sight = door.openWhole(tenant, record.lease, 'hostname-migrate');
  const moves = [...new Set(hostnames)].map((hostname) => moveOf(options, tenant, sight, hostname));
  for (const [at, move] of moves.entries()) {
    await actions.transferHostname(sight.lease, move, signal).catch((thrown: unknown) => {
      throw at === 0 ? thrown : partly(thrown, moves.slice(0, at), move);
    });
  }
}

function moveOf({ records, hostnames, terms }: MigrateHostnamesOptions, tenant: Tenant, sight: LeaseSight, text: string): Move {
  const normal = normalHostname(text);
  if (isRefusal(normal)) throw new StatusError('invalid_argument', `hostnames_to_migrate: ${normal.message}`);
  // A token for one lease takes nothing from another.
  const holder = records.of(hostnames.holderOf(normal.name) ?? '');
  if (holder !== undefined && holder.lease.owner === tenant.owner && granted(tenant.access, holder.lease, 'hostname-migrate') !== 'all')
    throw new StatusError('permission_denied', `hostnames_to_migrate: the token is not for the lease that has ${normal.name}`);
  const wanted = sight.manifest === undefined ? [] : wantedHostnames(sight.lease, sight.manifest.group, terms);
  const found = wanted.find(({ hostname, isStatic }) => {
    const other = normalHostname(hostname);
    // What the provider gives of its own is of one lease.
    return !isStatic && !isRefusal(other) && other.name === normal.name;
  });
  if (found !== undefined) return { hostname: normal.name, service: found.service };
  const way = 'add it under accept, update the deployment, and migrate it then';
  throw new StatusError(
    'failed_precondition',
    `hostnames_to_migrate: the manifest of the destination does not have ${normal.name}: ${way}`,
  );
}

/** Asked again, those that moved stay where they are. */
function partly(thrown: unknown, moved: readonly Move[], { hostname }: Move): StatusError {
  const { code, message } = StatusError.from(thrown);
  const done = moved.map((each) => each.hostname).join(', ');
  return new StatusError(code, `moved ${done}; ${hostname} was not: ${message}`, {
    cause: thrown,
    details: { fieldViolations: fieldViolationsOf(thrown) },
  });
}
