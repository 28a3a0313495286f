import { StatusError } from '@quartermaster/kernel';
import * as z from 'zod';
import { addressOf, type SeenAddresses } from '../../addresses/lease-addresses.ts';
import type { LeaseRecord } from '../../known-leases/lease-record.ts';
import type { RecordStore } from '../../known-leases/record-store.ts';
import type { OrderId } from '../../model/order.ts';
import { granted } from '../who/granted.ts';
import type { Tenant } from '../who/tenant.ts';
import type { TenantActions } from './leader-actions.ts';
import { isOpen, type LeaseDoor } from './lease-door.ts';
import { destinationFields, destinationOf, mostMoved, moveEach, readMigration } from './migration.ts';
import { dseqOf } from './query-values.ts';

const requestBody = z.strictObject({
  endpoints_to_migrate: z.array(z.string().min(1).max(253)).min(1).max(mostMoved),
  ...destinationFields,
  /** Where several leases have the endpoint. */
  source_dseq: destinationFields.destination_dseq.optional(),
  source_gseq: destinationFields.destination_gseq.optional(),
});

export interface MigrateEndpointsOptions extends Pick<SeenAddresses, 'addresses' | 'caches'> {
  readonly door: Pick<LeaseDoor, 'ofDeployment'>;
  readonly records: Pick<RecordStore, 'of' | 'all'>;
  readonly actions: Pick<TenantActions, 'transferAddress'>;
}

interface Move {
  readonly endpoint: string;
  readonly from: OrderId;
}

/** Moves leased addresses to another lease of their owner, whose manifest has the endpoints already. Whether all of them may be moved is decided before the first is. */
export async function migrateEndpoints(
  options: MigrateEndpointsOptions,
  tenant: Tenant,
  body: unknown,
  signal: AbortSignal,
): Promise<void> {
  const { door, actions } = options;
  const { endpoints_to_migrate: endpoints, source_dseq: dseq, source_gseq: gseq, ...wanted } = readMigration(requestBody, body);
  const destination = destinationOf(door, tenant, wanted, 'ip-migrate');
  const from = { dseq: dseq === undefined ? undefined : dseqOf(String(dseq)), gseq };
  const moves = [...new Set(endpoints)].flatMap((endpoint) => moveOf(options, tenant, { destination, endpoint, from }));
  await moveEach(
    moves,
    ({ endpoint }) => endpoint,
    (move) => actions.transferAddress(destination.lease, move, signal),
  );
}

interface Wanted {
  readonly destination: LeaseRecord;
  readonly endpoint: string;
  readonly from: { readonly dseq: bigint | undefined; readonly gseq: number | undefined };
}

/** None where the destination has it already. */
function moveOf(options: MigrateEndpointsOptions, tenant: Tenant, { destination, endpoint, from }: Wanted): readonly Move[] {
  const { records, addresses } = options;
  const having = records
    .all()
    .filter((record) => record.lease.owner === tenant.owner && record.name !== destination.name && isOpen(record))
    .filter(({ lease }) => (from.dseq ?? lease.dseq) === lease.dseq && (from.gseq ?? lease.gseq) === lease.gseq)
    .filter((record) => addressOf(options, record, endpoint) !== undefined);
  // A token for one lease takes nothing from another.
  const [source, ...others] = having.filter(({ lease }) => granted(tenant.access, lease, 'ip-migrate') === 'all');
  const refused = (code: 'failed_precondition' | 'permission_denied', message: string): StatusError =>
    new StatusError(code, `endpoints_to_migrate: ${message}`);
  if (source !== undefined && others.length === 0) return [{ endpoint, from: source.lease }];
  if (source !== undefined) {
    const named = [source, ...others].map(({ lease }) => `${lease.dseq} (group ${lease.gseq})`).join(', ');
    throw refused(
      'failed_precondition',
      `several deployments have an address for ${endpoint}: say which with source_dseq and source_gseq: ${named}`,
    );
  }
  if (having.length > 0) throw refused('permission_denied', `the token is not for the lease that has the address of ${endpoint}`);
  if (addresses.heldBy(destination.name, endpoint) !== undefined) return [];
  throw refused(
    'failed_precondition',
    `no other lease has an address for ${endpoint} yet: try again when the status of the one that is to give it shows one`,
  );
}
