/** What tenants do with orders, bids and leases. */
import { BidState, Bids, LeaseEnd, LeaseState, Leases, OrderState, Orders, Sdl } from '@quartermaster/api/market';
import { StatusError } from '@quartermaster/kernel';
import { callOf, checkId, type Kind, notFound, ObjectReader, ObjectWriter, privateHandlers, type RevealLog } from '@quartermaster/objects';
import { type ServedService, serve } from '@quartermaster/rpc';
import type { StoredObject } from '@quartermaster/store';
import { createLeaseToken } from '../keys/create-lease-token.ts';
import type { TokenKeyOptions } from '../keys/token-key.ts';
import { type BidParts, parseBidId, reasonOf } from '../rules/index.ts';
import type { SdlReader } from '../sdl/sdl-reader.ts';
import { acceptBid } from '../trade/accept-bid.ts';
import { endLease } from '../trade/end-lease.ts';
import { type TradeOptions, trade } from '../trade/trade.ts';
import { owned } from './owned.ts';

export interface TradeServicesOptions extends TradeOptions, Pick<TokenKeyOptions, 'keys'> {
  readonly reveals: RevealLog;
  readonly sdl: Pick<SdlReader, 'read'>;
}

const stateWords: Readonly<Record<BidState, string>> = {
  [BidState.UNSPECIFIED]: 'in an unknown state',
  [BidState.OPEN]: 'open',
  [BidState.ACTIVE]: 'accepted',
  [BidState.LOST]: 'lost',
  [BidState.CLOSED]: 'closed',
};

export function tradeServices(options: TradeServicesOptions): readonly ServedService[] {
  const { kinds, sdl } = options;
  return [
    serve(Orders, handlersOf(options, kinds.orders)),
    serve(Bids, {
      ...handlersOf(options, kinds.bids),
      accept: async (request, context) => {
        const { id } = request;
        const call = callOf(context, request);
        const { deployment, order: orderId } = partsOf(kinds.bids, id);
        const lease = await trade(options, call, deployment, async (open) => {
          const [stored, order, made] = await Promise.all([
            kinds.bids.store.get(open.tx, id),
            kinds.orders.store.get(open.tx, orderId),
            kinds.leases.store.get(open.tx, id),
          ]);
          const bid = owned(kinds.bids, call.principal, stored, id);
          if (made !== undefined) return made;
          if (bid.status?.state !== BidState.OPEN || order?.status?.state !== OrderState.OPEN) {
            const { state = BidState.UNSPECIFIED, closedReason = '' } = bid.status ?? {};
            const why = closedReason === '' ? '' : ` (${closedReason})`;
            throw new StatusError(
              'failed_precondition',
              `bid "${id}" is ${stateWords[state]}${why} and cannot be accepted: accept an open one`,
            );
          }
          return await acceptBid(open, order, bid);
        });
        return { lease };
      },
    }),
    serve(Leases, {
      ...handlersOf(options, kinds.leases),
      close: async (request, context) => {
        const { id } = request;
        const call = callOf(context, request);
        const reason = reasonOf(request.reason, 'closed by its tenant');
        const object = await trade(options, call, partsOf(kinds.leases, id).deployment, async (open) => {
          const lease = owned(kinds.leases, call.principal, await kinds.leases.store.get(open.tx, id), id);
          if (lease.status?.state !== LeaseState.ACTIVE) return lease;
          return await endLease(open, lease, LeaseEnd.TENANT, { reason, at: open.at });
        });
        return { object };
      },
      createToken: async (request, context) => {
        const { id } = request;
        const call = callOf(context);
        checkId(id);
        const lease = owned(kinds.leases, call.principal, await kinds.leases.store.get(options.database, id), id);
        return await createLeaseToken(options, call, lease, request);
      },
    }),
    serve(Sdl, {
      check: async (request, context) => {
        const answer = await sdl.read(request.sdl, callOf(context).principal.name, context.signal);
        if ('faults' in answer) return { faults: answer.faults };
        const { groups, manifestHash, manifest } = answer;
        return { groups, manifestHash, manifest };
      },
    }),
  ];
}

function handlersOf<M extends StoredObject>(options: TradeServicesOptions, kind: Kind<M>) {
  return privateHandlers(new ObjectReader(kind, options), new ObjectWriter(kind, options));
}

function partsOf(kind: { readonly singular: string }, id: string): BidParts {
  checkId(id);
  const parts = parseBidId(id);
  if (parts === undefined) throw notFound(kind, id);
  return parts;
}
