import { LeaseService } from '@quartermaster/api/cluster';
import { ingressPort } from '@quartermaster/api/lease-manifest';
import { codeOf, type Log, messageOf, type StatusCode, StatusError } from '@quartermaster/kernel';
import { anonymous, type CallContext } from '@quartermaster/rpc';
import type { LeaseActions } from '../../leases/lease-action-types.ts';
import type { ReceivedManifest } from '../../market/market.ts';
import type { OrderId } from '../../model/order.ts';
import type { LeaderLine } from '../../serve/leader-line.ts';
import { orderMessage } from '../../serve/request-message.ts';

/** What only the leader does for tenants. */
export interface TenantActions {
  submitManifest(order: OrderId, received: ReceivedManifest, signal: AbortSignal): Promise<void>;
  transferHostname(order: OrderId, wanted: { readonly hostname: string; readonly service: string }, signal: AbortSignal): Promise<void>;
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
    submitManifest: async (order, received, signal) => {
      const here = actions();
      if (here !== undefined) return await here.submitManifest(order, received, signal);
      const request = { order: orderMessage(order), manifest: received.json, confirm: [...received.confirmed] };
      await sentOn(log, async () =>
        leader.send(method.submitManifest, request, contextOf(method.submitManifest.name, await ownToken(), signal)),
      );
    },
    transferHostname: async (order, { hostname, service }, signal) => {
      const here = actions();
      if (here !== undefined) {
        await here.transferHostname(order, { hostname, service, externalPort: ingressPort, isStatic: false }, signal);
        return;
      }
      const request = { order: orderMessage(order), hostname, service };
      await sentOn(log, async () =>
        leader.send(method.transferHostname, request, contextOf(method.transferHostname.name, await ownToken(), signal)),
      );
    },
  };
}

/** What is wrong between replicas is the provider's, and its words are for the provider. */
async function sentOn(log: Pick<Log, 'warn'>, send: () => Promise<unknown>): Promise<void> {
  try {
    await send();
  } catch (thrown) {
    if (ofTenant.has(codeOf(thrown))) throw thrown;
    log.warn('what a tenant sent could not be passed on to the leader', { error: messageOf(thrown) });
    throw new StatusError('unavailable', 'the provider cannot take it at the moment: try again', { cause: thrown });
  }
}

/** What the leader says of what the tenant sent. */
const ofTenant: ReadonlySet<StatusCode> = new Set(['invalid_argument', 'not_found', 'already_exists', 'failed_precondition', 'aborted']);

/** Of a call that nobody made: the gateway makes it by itself. */
const contextOf = (method: string, token: string | undefined, signal: AbortSignal): CallContext => ({
  method: `/${LeaseService.typeName}/${method}`,
  transport: 'grpc',
  identity: anonymous,
  peer: '',
  header: (name) => (name === 'authorization' && token !== undefined ? `Bearer ${token}` : undefined),
  signal,
});
