import { LeaseService } from '@quartermaster/api/cluster';
import { ingressPort } from '@quartermaster/api/lease-manifest';
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
}

/** Does it here while this replica leads, and else has the leader do it, in the name of this service: whether the tenant may is decided where it came to. */
export function leaderActions({ actions, leader, ownToken }: LeaderActionsOptions): TenantActions {
  const { method } = LeaseService;
  return {
    submitManifest: async (order, received, signal) => {
      const here = actions();
      if (here !== undefined) return await here.submitManifest(order, received, signal);
      const request = { order: orderMessage(order), manifest: received.json, confirm: [...received.confirmed] };
      await leader.send(method.submitManifest, request, contextOf(method.submitManifest.name, await ownToken(), signal));
    },
    transferHostname: async (order, { hostname, service }, signal) => {
      const here = actions();
      if (here !== undefined) {
        await here.transferHostname(order, { hostname, service, externalPort: ingressPort, isStatic: false }, signal);
        return;
      }
      const request = { order: orderMessage(order), hostname, service };
      await leader.send(method.transferHostname, request, contextOf(method.transferHostname.name, await ownToken(), signal));
    },
    transferAddress: async (order, { endpoint, from }, signal) => {
      const here = actions();
      if (here !== undefined) {
        await here.transferAddress(order, { endpoint, from }, signal);
        return;
      }
      const request = { order: orderMessage(order), endpoint, from: orderMessage(from) };
      await leader.send(method.transferAddress, request, contextOf(method.transferAddress.name, await ownToken(), signal));
    },
  };
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
