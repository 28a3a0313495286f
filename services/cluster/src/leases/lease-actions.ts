import { StatusError } from '@quartermaster/kernel';
import type { ClaimedName, WantedHostname } from '../hostnames/hostname-book.ts';
import { isRefusal, normalHostname } from '../hostnames/normal-hostname.ts';
import { wantedHostnames } from '../hostnames/wanted-hostnames.ts';
import type { ReceivedManifest } from '../market/market.ts';
import { leaseNamespace } from '../model/lease-name.ts';
import type { OrderId } from '../model/order.ts';
import { orderName } from '../reservations/order-name.ts';
import type { OrderTurns } from '../reservations/order-turns.ts';
import { noChanges } from './judge-manifest.ts';
import type { LeaseActions } from './lease-action-types.ts';
import type { LeaseAt, LeaseContext } from './lease-context.ts';
import { collectLeftovers } from './leftovers.ts';
import { refusalOf, takeManifest, verdictOn } from './take-manifest.ts';
import { transferAddress } from './transfer-address.ts';

/**
 * What a caller may have the leader do. What writes for a lease, a manifest, a hostname or an address, waits for the turn of the lease. The others do not: a preview writes nothing,
 * closing asks the market alone, and leftovers are of leases that nobody works on any more.
 */
export function leaseActions(context: LeaseContext, turns: OrderTurns): LeaseActions {
  const { records, writer, view, market, hostnameClaims } = context;
  const activeLease = async (order: OrderId, signal: AbortSignal): Promise<Pick<LeaseAt, 'name' | 'lease'>> => {
    const name = orderName(order);
    if (view.of(name).lease === undefined) await view.ask(order, signal);
    const lease = view.of(name).lease;
    if (lease === undefined) throw new StatusError('not_found', `the market knows no lease of order ${name} of this provider`);
    if (lease.state === 'closed') throw new StatusError('failed_precondition', `lease ${name} is closed: create a new deployment`);
    return { name, lease: { ...lease.order, provider: lease.provider } };
  };
  const lastingLease = async (order: OrderId, signal: AbortSignal): Promise<LeaseAt> => {
    const { name, lease } = await activeLease(order, signal);
    return lasting({ name, lease, record: await records.ensure(writer, name, lease, leaseNamespace(lease)), signal });
  };
  return {
    submitManifest: (order, received: ReceivedManifest, signal) =>
      turns.call(
        orderName(order),
        async () => {
          const verdict = await takeManifest(context, await lastingLease(order, signal), received);
          if (verdict.kind === 'refused') throw refusalOf(verdict.reasons);
        },
        signal,
      ),
    previewManifest: async (order, json, signal) => {
      const { name, lease } = await activeLease(order, signal);
      const record = records.of(name);
      // A look into the future writes nothing.
      if (record === undefined) throw new StatusError('unavailable', `lease ${name} has only just been won: try again`);
      const verdict = await verdictOn(context, lasting({ name, lease, record, signal }), { json, confirmed: [] }, { isPreview: true });
      const changes = verdict.changes ?? noChanges;
      const refusals = verdict.kind === 'refused' ? verdict.reasons : [];
      // What is still to be confirmed stands beside them.
      return { changes, refusals: refusals.filter(({ code }) => code !== 'DataLossUnconfirmed') };
    },
    closeLease: async (order, reason, signal) => {
      const { lease } = await activeLease(order, signal);
      const outcome = await market.closeLease(lease, reason, signal);
      if (outcome.kind === 'unknown') throw new StatusError('unavailable', `the outcome is unknown: ${outcome.reason.message}; try again`);
      if (outcome.kind === 'refused')
        throw new StatusError('failed_precondition', `the market refused to close the lease: ${outcome.reason.message}`);
      view.answered(lease, { lease: outcome.value });
    },
    transferHostname: (order, wanted: WantedHostname, signal): Promise<ClaimedName> =>
      turns.call(
        orderName(order),
        async () => {
          const at = await lastingLease(order, signal);
          serves(context, at, wanted);
          const claimed = await hostnameClaims.transfer(at.lease, wanted, signal);
          context.announce('hostname', at.lease, claimed.hostname);
          return claimed;
        },
        signal,
      ),
    transferAddress: (order, wanted, signal) =>
      turns.call(orderName(order), async () => await transferAddress(context, await lastingLease(order, signal), wanted), signal),
    collectLeftovers: (options, signal) => collectLeftovers(context, options, signal),
  };
}

/** It has not ended for good, whatever the market says since: what is made of it then nobody would take away. */
function lasting(at: LeaseAt): LeaseAt {
  if (at.record.closingAt !== undefined || at.record.state === 'Complete')
    throw new StatusError('failed_precondition', `lease ${at.name} has ended: create a new deployment`);
  return at;
}

/** A name that the manifest does not have would be given back at once. */
function serves({ manifests, settings }: LeaseContext, { name, lease, record }: LeaseAt, { hostname, service }: WantedHostname): void {
  const normal = normalHostname(hostname);
  const shown = manifests.shown(record.namespace);
  const wanted = shown === undefined ? [] : wantedHostnames(lease, shown.group, settings.terms);
  const isSame = (each: string): boolean => {
    const other = normalHostname(each);
    return !isRefusal(normal) && !isRefusal(other) && other.name === normal.name;
  };
  if (wanted.some((each) => isSame(each.hostname) && each.service === service)) return;
  const message = `the manifest of lease ${name} does not have ${hostname} for service ${service}: add it under accept, update the deployment, and transfer it then`;
  throw new StatusError('failed_precondition', message);
}
