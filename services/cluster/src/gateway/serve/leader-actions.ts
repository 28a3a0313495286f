import { LeaseService } from '@quartermaster/api/cluster';
import { ingressPort } from '@quartermaster/api/lease-manifest';
import { codeOf, fieldViolationsOf, type Log, messageOf, StatusError } from '@quartermaster/kernel';
import { failureOf } from '@quartermaster/kube';
import { anonymous, type CallContext } from '@quartermaster/rpc';
import type { LeaseActions, WantedAddress } from '../../leases/lease-action-types.ts';
import type { ReceivedManifest } from '../../market/market.ts';
import type { OrderId } from '../../model/order.ts';
import type { LeaderLine } from '../../serve/leader-line.ts';
import { orderMessage } from '../../serve/request-message.ts';

/** What only the leader does for tenants. */
export interface TenantActions {
  submitManifest(order: OrderId, received: ReceivedManifest, signal: AbortSignal): Promise<void>;
  transferHostname(order: OrderId, wanted: { readonly hostname: string; readonly service: string }, signal: AbortSignal): Promise<void>;
  transferAddress(order: OrderId, wanted: WantedAddress, signal: AbortSignal): Promise<void>;
}

export interface LeaderActionsOptions {
  /** While this replica leads. */
  readonly actions: () => LeaseActions | undefined;
  readonly leader: Pick<LeaderLine, 'send'>;
  /** Of this service: a tenant's credential is for the gateway, and no other listener knows it. */
  readonly ownToken: () => Promise<string | undefined>;
  readonly log: Pick<Log, 'warn'>;
}

/** Does it here while this replica leads, and else has the leader do it, in the name of this service: whether the tenant may is decided where it came to. */
export function leaderActions({ actions, leader, ownToken, log }: LeaderActionsOptions): TenantActions {
  const { method } = LeaseService;
  return {
    submitManifest: (order, received, signal) =>
      forTenant(log, async () => {
        const here = actions();
        if (here !== undefined) return await here.submitManifest(order, received, signal);
        const request = { order: orderMessage(order), manifest: received.json, confirm: [...received.confirmed] };
        await leader.send(method.submitManifest, request, contextOf(method.submitManifest.name, await ownToken(), signal));
      }),
    transferHostname: (order, { hostname, service }, signal) =>
      forTenant(log, async () => {
        const here = actions();
        if (here !== undefined) {
          await here.transferHostname(order, { hostname, service, externalPort: ingressPort, isStatic: false }, signal);
          return;
        }
        const request = { order: orderMessage(order), hostname, service };
        await leader.send(method.transferHostname, request, contextOf(method.transferHostname.name, await ownToken(), signal));
      }),
    transferAddress: (order, { endpoint, from }, signal) =>
      forTenant(log, async () => {
        const here = actions();
        if (here !== undefined) {
          await here.transferAddress(order, { endpoint, from }, signal);
          return;
        }
        const request = { order: orderMessage(order), endpoint, from: orderMessage(from) };
        await leader.send(method.transferAddress, request, contextOf(method.transferAddress.name, await ownToken(), signal));
      }),
  };
}

/** What is in the way of the tenant is told as it is; what is in ours, such as which replica leads and what the cluster says, is not. */
async function forTenant(log: Pick<Log, 'warn'>, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (thrown) {
    if (codeOf(thrown) === 'internal' || isAboutRequest(thrown)) throw thrown;
    log.warn('what a tenant asked for cannot be done', { error: messageOf(thrown) });
    throw new StatusError('unavailable', 'the provider cannot take this at the moment: try again', { cause: thrown });
  }
}

function isAboutRequest(thrown: unknown): boolean {
  if (failureOf(thrown) !== undefined) return false;
  // The cluster's own refusals, sent on by another replica, name no field.
  const code = codeOf(thrown);
  return code === 'invalid_argument'
    ? fieldViolationsOf(thrown).length > 0
    : code === 'failed_precondition' || code === 'not_found' || code === 'aborted';
}

/** Of a call that nobody made: the gateway makes it by itself. */
const contextOf = (method: string, token: string | undefined, signal: AbortSignal): CallContext => ({
  method: `/${LeaseService.typeName}/${method}`,
  transport: 'grpc',
  identity: anonymous,
  peer: '',
  header: (name) => (name === 'authorization' && token !== undefined ? `Bearer ${token}` : undefined),
  signal,
});
