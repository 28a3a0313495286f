import { StatusError } from '@quartermaster/kernel';
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
import { destinationFields, destinationOf, mostMoved, moveEach, readMigration } from './migration.ts';

const requestBody = z.strictObject({
  hostnames_to_migrate: z.array(z.string().min(1).max(253)).min(1).max(mostMoved),
  ...destinationFields,
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
  const { hostnames_to_migrate: hostnames, ...wanted } = readMigration(requestBody, body);
  const { lease } = destinationOf(door, tenant, wanted, 'hostname-migrate');
  const sight = door.openWhole(tenant, lease, 'hostname-migrate');
  const moves = [...new Set(hostnames)].map((hostname) => moveOf(options, tenant, sight, hostname));
  await moveEach(
    moves,
    ({ hostname }) => hostname,
    (move) => actions.transferHostname(lease, move, signal),
  );
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
