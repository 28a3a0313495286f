import { fieldViolationsOf, StatusError } from '@quartermaster/kernel';
import * as z from 'zod';
import type { LeaseRecord } from '../../known-leases/lease-record.ts';
import type { Tenant } from '../who/tenant.ts';
import type { Scope } from '../who/token-claims.ts';
import type { LeaseDoor } from './lease-door.ts';
import { dseqOf } from './query-values.ts';

/** What all requests have that move something to another lease of their owner. */
export const destinationFields = {
  destination_dseq: z.union([z.string(), z.int().min(1)]),
  destination_gseq: z.int().min(1),
};

type Destination = z.infer<z.ZodObject<typeof destinationFields>>;

/** At most so many are moved at once. */
export const mostMoved = 100;

export function readMigration<T>(schema: z.ZodType<T>, body: unknown): T {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new StatusError('invalid_argument', `${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'is not as it must be'}`);
}

/** The open lease to which it is moved, for all of which the tenant may use the scope. */
export function destinationOf(
  door: Pick<LeaseDoor, 'ofDeployment'>,
  tenant: Tenant,
  { destination_dseq: text, destination_gseq: gseq }: Destination,
  scope: Scope,
): LeaseRecord {
  const dseq = dseqOf(String(text));
  const record = door.ofDeployment(tenant, dseq, scope).find(({ lease }) => lease.gseq === gseq);
  if (record !== undefined) return record;
  throw new StatusError('not_found', `destination_gseq: deployment ${dseq} has no open lease of group ${gseq} that the credential is for`);
}

/** One after another. Asked again, those that moved stay where they are. */
export async function moveEach<T>(moves: readonly T[], nameOf: (move: T) => string, move: (each: T) => Promise<void>): Promise<void> {
  for (const [at, each] of moves.entries()) {
    await move(each).catch((thrown: unknown) => {
      if (at === 0) throw thrown;
      const { code, message } = StatusError.from(thrown);
      const done = moves.slice(0, at).map(nameOf).join(', ');
      throw new StatusError(code, `moved ${done}; ${nameOf(each)} was not: ${message}`, {
        cause: thrown,
        details: { fieldViolations: fieldViolationsOf(thrown) },
      });
    });
  }
}
