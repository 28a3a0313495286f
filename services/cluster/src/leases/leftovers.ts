import { messageOf, StatusError } from '@quartermaster/kernel';
import { removeObject } from '../apply/apply-objects.ts';
import type { LiveObject } from '../apply/live-object.ts';
import type { LeaseId } from '../model/lease.ts';
import { leaseOf } from '../model/lease-labels.ts';
import { leaseNamespace } from '../model/lease-name.ts';
import { orderName } from '../reservations/order-name.ts';
import type { Leftover } from './lease-action-types.ts';
import type { LeaseContext } from './lease-context.ts';
import { isOurs as isOurNamespace } from './own-namespace.ts';

interface Found {
  readonly object: string;
  readonly lease: LeaseId | undefined;
  readonly isOurs: boolean;
  /** Of a namespace, in which pods run until it is gone: whether it is on its way already. */
  readonly isDeleting?: boolean | undefined;
  readonly remove: (signal: AbortSignal) => Promise<void>;
}

/**
 * What is left of leases that have ended. Removed is only what was certainly ours and whose lease the market says is closed: an order that it does not know may be a lease
 * that it has lost. What has no labels of ours is nobody's to list. Nothing is given back while a namespace goes: whoever asks again later has the rest removed.
 */
export async function collectLeftovers(
  context: LeaseContext,
  { dryRun }: { readonly dryRun: boolean },
  signal: AbortSignal,
): Promise<readonly Leftover[]> {
  const { records, view, book } = context;
  // What has a record that is not seen looks like what has none.
  const problem = records.problem();
  if (problem !== undefined)
    throw new StatusError('unavailable', `what is left of leases cannot be told from what runs while ${problem}: try again later`);
  const leftovers: Leftover[] = [];
  const stuck = new Map<string, string>(); // lease -> what of it could not be removed
  for (const { object, lease, isOurs, isDeleting, remove } of foundIn(context)) {
    const name = lease === undefined ? '' : orderName(lease);
    const record = name === '' ? undefined : records.of(name);
    // The manager takes away what has a record, and tells there what it cannot.
    if (record !== undefined && record.state !== 'Complete') continue;
    if (record === undefined && book.reservation(name) !== undefined) continue;
    const isOver = record?.state === 'Complete' || (lease !== undefined && (await isClosed(context, lease, signal)));
    if (isDeleting === true && !(isOver && isOurs)) continue;
    if (!isOver || !isOurs) {
      const message = isOver
        ? 'it has the labels of a lease that has ended, but was not created for it: delete it yourself if it is not needed'
        : `the market does not report ${name === '' ? 'its lease' : `lease ${name}`} as closed: delete it yourself if you are certain that it is`;
      leftovers.push({ object, lease: name, reason: isOver ? 'NotOurs' : 'LeaseUnknown', fate: 'kept', message });
      continue;
    }
    const reason = 'LeaseClosed';
    const message = view.of(name).lease?.reason ?? record?.closedReason ?? 'its lease is closed';
    // One that cannot be removed holds up no other lease. Of its own it holds up the rest: what comes later proves whose it is, or leads to it.
    const before = stuck.get(name);
    const removed = async (): Promise<string | undefined> => {
      if (before !== undefined) return `it waits until ${before} is gone: collect leftovers again`;
      if (isDeleting === true) return 'it is being deleted: its status says what it waits for';
      return await remove(signal).then(
        () => undefined,
        (thrown: unknown) => `it could not be removed: ${messageOf(thrown)}`,
      );
    };
    const failure = dryRun ? undefined : await removed();
    if (before === undefined && (failure !== undefined || isDeleting === false)) stuck.set(name, object);
    if (failure === undefined) leftovers.push({ object, lease: name, reason, fate: dryRun ? 'removable' : 'removed', message });
    else leftovers.push({ object, lease: name, reason: 'RemovalFailed', fate: 'removable', message: failure });
  }
  return leftovers;
}

/** Hostnames and addresses come after what answers there. */
function foundIn(context: LeaseContext): readonly Found[] {
  const { namespaces, manifests, caches, records, hostnames, hostnameClaims, addresses, addressClaims, settings, writer, book } = context;
  const owned = new Set([
    ...records.all().map(({ namespaceUid }) => namespaceUid),
    ...book.reservations().map((reservation) => reservation.leaseNamespace?.uid),
  ]);
  const objectFound = (live: LiveObject, lease: LeaseId | undefined, isOurs: boolean): Found => ({
    object: `${live.type.kind} ${live.namespace === '' ? '' : `${live.namespace}/`}${live.name}`,
    ...{ lease, isOurs },
    remove: (signal) => removeObject(live, { writer, signal, seen: caches }),
  });
  const places = namespaces.all().flatMap((seen): Found[] => {
    const { live, lease, isDeleting } = seen;
    if (lease === undefined || lease === 'tampered') return [];
    const record = records.of(orderName(lease));
    // Labels can be changed: what another lease has recorded as its own is not looked at by them.
    if (owned.has(live.uid) && record?.namespaceUid !== live.uid) return [];
    const isOurs = live.name === leaseNamespace(lease) && isOurNamespace(seen, record, manifests.saltOf(live.name));
    return [{ ...objectFound(live, lease, isOurs), isDeleting }];
  });
  const declared = caches.allDeclared().map((live): Found => {
    const { annotations } = JSON.parse(live.text) as { readonly annotations?: Readonly<Record<string, string>> };
    const lease = leaseOf({ labels: live.labels, annotations: annotations ?? {} });
    return objectFound(live, lease === 'tampered' ? undefined : lease, live.applied !== '');
  });
  const stored = manifests.all().map(
    ({ namespace, isSecretAlone, lease, isOurs }): Found => ({
      object: `${isSecretAlone ? 'Secrets of Manifest' : 'Manifest'} ${settings.manifestNamespace}/${namespace}`,
      ...{ lease, isOurs },
      remove: (signal) => manifests.remove(writer, namespace, signal),
    }),
  );
  const claimed = hostnames.all().flatMap(({ hostname, owner, lease: name, state }): Found[] => {
    const lease = state === 'Released' ? undefined : orderOf(name, owner);
    if (lease === undefined) return [];
    return [{ object: `HostnameClaim of ${hostname}`, lease, isOurs: true, remove: (signal) => hostnameClaims.release(lease, [], signal) }];
  });
  const moved = addresses.all().flatMap(({ address, owner, lease: name }): Found[] => {
    const lease = orderOf(name, owner);
    if (lease === undefined) return [];
    const remove = (signal: AbortSignal): Promise<void> => addressClaims.release(name, new Set(), signal);
    return [{ object: `AddressClaim of ${address}`, lease, isOurs: true, remove }];
  });
  return [...places, ...declared, ...stored, ...claimed, ...moved];
}

/** Claims name their lease by the name of its order; its numbers are the last of that. */
function orderOf(name: string, owner: string): LeaseId | undefined {
  const [, dseq = '', gseq = '', oseq = ''] = /-(\d+)-(\d+)-(\d+)$/.exec(name) ?? [];
  if (oseq === '') return undefined;
  const lease = { owner, dseq: BigInt(dseq), gseq: Number(gseq), oseq: Number(oseq), provider: '' };
  return orderName(lease) === name ? lease : undefined;
}

async function isClosed({ view }: LeaseContext, lease: LeaseId, signal: AbortSignal): Promise<boolean> {
  const name = orderName(lease);
  if (view.of(name).lease === undefined) await view.ask(lease, signal);
  return view.of(name).lease?.state === 'closed';
}
