import { again, done, type Outcome } from '@quartermaster/controller';
import { defineSteps, messageOf } from '@quartermaster/kernel';
import { kinds } from '@quartermaster/kube';
import type { Namespace } from '@quartermaster/kube/shapes';
import { removeObject } from '../apply/apply-objects.ts';
import { type LeaseLeftover, recordText } from '../known-leases/lease-record.ts';
import { seenNamespace } from '../known-leases/seen-namespaces.ts';
import { orderName } from '../reservations/order-name.ts';
import { removeDeclared, seeDeclared } from './keep-declared.ts';
import type { LeaseAt, LeaseContext } from './lease-context.ts';
import { advance } from './lease-transitions.ts';
import { isOurs } from './own-namespace.ts';

const steps = defineSteps('end-lease', ['namespace', 'declared', 'hostnames', 'addresses', 'manifest', 'complete']);
/** What is being deleted for longer than this is told of. */
const slowMs = 60_000;
const lookAgainMs = 2_000;

/**
 * Takes a lease away, in an order in which nothing is given back that still runs: its namespace with everything in it; once that is gone, what is declared of it,
 * its hostnames and addresses; then its manifest; and its record says that it is complete, upon which the bid engine (`bids/next-step.ts`) gives its part of the cluster back. Each step finds out what is left: after a crash it goes
 * on where it was. What cannot be removed is recorded, and tried again.
 */
export async function endLease(context: LeaseContext, at: LeaseAt): Promise<Outcome> {
  const { records, writer, clock, announce } = context;
  const { name, lease } = at;
  try {
    const leftover = await endNamespace(context, at);
    if (leftover !== undefined) {
      await tell(context, at, leftover);
      return again(lookAgainMs);
    }
    await seeDeclared(context, at);
    await removeDeclared(context, at);
    await steps.reached('declared');
    await context.hostnameClaims.release(lease, [], at.signal);
    await steps.reached('hostnames');
    await context.addressClaims.release(name, new Set(), at.signal);
    await steps.reached('addresses');
    await context.manifests.remove(writer, at.record.namespace, at.signal);
    await steps.reached('manifest');
  } catch (thrown) {
    if (!at.signal.aborted) await tell(context, at, { what: `TenantLease ${name}`, message: messageOf(thrown) }).catch(() => undefined);
    throw thrown;
  }
  await records.change(writer, name, (before) => advance(before, { kind: 'gone' }, clock.now()));
  await steps.reached('complete');
  announce('complete', lease);
  return done;
}

/** Undefined once it is gone, as the server says: what is followed may be behind. */
async function endNamespace(
  { reader, writer, manifests, book, clock }: LeaseContext,
  { name, record, signal }: LeaseAt,
): Promise<Omit<LeaseLeftover, 'since'> | undefined> {
  const found: Namespace | undefined = await reader.find(kinds.namespaces, { name: record.namespace }, { signal });
  const seen = found && seenNamespace(found);
  if (seen === undefined) return undefined;
  if (!isOurs(seen, record, manifests.saltOf(record.namespace))) {
    // Another one has its name: ours is gone. One that says it is this lease's may be ours after all, whose record was lost: nothing is given back while it is there.
    const isNamed = typeof seen.lease === 'object' && orderName(seen.lease) === name;
    const isReserved = book.reservation(name)?.leaseNamespace?.uid === seen.live.uid;
    const message =
      'it has the labels or the reservation of this lease but is not recorded as its namespace: delete it to finish closing the lease';
    return isNamed || isReserved ? { what: `Namespace ${record.namespace}`, message } : undefined;
  }
  if (!seen.isDeleting) {
    await removeObject(seen.live, { writer, signal });
    await steps.reached('namespace');
    return { what: '', message: '' };
  }
  const since = Date.parse(found?.metadata?.deletionTimestamp ?? '');
  const isSlow = clock.now() - since > slowMs;
  const message = `it has been terminating since ${found?.metadata?.deletionTimestamp}${seen.remaining === '' ? '' : `: ${seen.remaining}`}`;
  return isSlow ? { what: `Namespace ${record.namespace}`, message } : { what: '', message: '' };
}

/** What is left, for people; of what is only under way nothing is told. */
async function tell(
  { records, writer, clock }: LeaseContext,
  { name }: LeaseAt,
  { what, message: said }: Omit<LeaseLeftover, 'since'>,
): Promise<void> {
  const message = recordText(said);
  await records.change(writer, name, (before) => {
    if (what === '') return before.leftovers.length === 0 ? before : { ...before, leftovers: [] };
    const known = before.leftovers.find((each) => each.what === what);
    if (known?.message === message && before.leftovers.length === 1) return before;
    return { ...before, leftovers: [{ what, message, since: known?.since ?? clock.now() }] };
  });
}
