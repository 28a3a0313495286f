import { StatusError } from '@quartermaster/kernel';
import type { KubeReader } from '../client/api.ts';
import { kinds } from '../generated/kinds.ts';
import type { Lease } from '../generated/shapes.ts';
import type { KubeFailure } from '../transport/failure.ts';

/** Who holds which Lease, or should. */
interface LeaseHolder {
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
}

/** Throws unless the server has this one as the holder, in this term. Many may wait for one such question: it takes no longer than a lease lasts that is not renewed. */
export async function verifyHeld(
  holder: LeaseHolder & { readonly client: Pick<KubeReader, 'find'>; readonly renewDeadlineMs: number },
  term: number,
  signal: AbortSignal,
): Promise<void> {
  const { client, namespace, name, renewDeadlineMs } = holder;
  const lease = await client.find(kinds.leases, { namespace, name }, { signal, timeoutMs: renewDeadlineMs });
  if (!isHeld(lease, holder, term)) throw leaseLost(holder);
}

/** Whether the Lease has this one as the holder, in this term. */
export function isHeld(lease: Lease | undefined, { identity }: Pick<LeaseHolder, 'identity'>, term: number): boolean {
  const { holderIdentity, leaseTransitions = 0 } = lease?.spec ?? {};
  return holderIdentity === identity && leaseTransitions === term;
}

export function leaseLost({ namespace, name, identity }: LeaseHolder): StatusError {
  return new StatusError(
    'failed_precondition',
    `${identity} does not hold the lease ${namespace}/${name}: stop acting and stand for election again`,
    { details: { kind: 'lease-lost' } satisfies KubeFailure },
  );
}
