import { ProviderMarket } from '@quartermaster/api/market';
import { principalOf } from '@quartermaster/auth';
import { callOf, checkId } from '@quartermaster/objects';
import { type CallContext, type ServedService, serve } from '@quartermaster/rpc';
import { type ChangeFeed, GatheredReads } from '@quartermaster/store';
import { providerOf } from '../access/index.ts';
import { reasonOf, required } from '../rules/index.ts';
import { ManifestReadings } from '../sdl/manifest-readings.ts';
import type { SdlReader } from '../sdl/sdl-reader.ts';
import type { TradeOptions } from '../trade/trade.ts';
import { closeBid, closeLease, createBid } from './bids.ts';
import { getManifest, type ManifestOptions } from './get-manifest.ts';
import { ProviderReads } from './provider-reads.ts';
import { reportDelivery } from './report-delivery.ts';
import { concerns, wakes } from './wakes.ts';

const accountOf = ({ identity }: CallContext): string => providerOf(principalOf(identity));

/** The market for the provider that calls. */
export function providerMarketService(
  options: TradeOptions &
    Omit<ManifestOptions, 'deployments' | 'readings'> & { readonly feed: Pick<ChangeFeed, 'read'>; readonly sdl: Pick<SdlReader, 'read'> },
): ServedService {
  const { database, kinds, feed, clock } = options;
  const reads = new ProviderReads(database, kinds);
  const manifests = {
    ...options,
    deployments: new GatheredReads(database, kinds.deployments.store),
    readings: new ManifestReadings(options),
  };
  return serve(ProviderMarket, {
    getAccount: async (_request, context) => ({ account: accountOf(context) }),
    listOrders: async (request) => {
      const { items, ...page } = await reads.orders(request);
      return { orders: items, ...page };
    },
    listBids: async (request, context) => {
      const { items, ...page } = await reads.bids(accountOf(context), request);
      return { bids: items, ...page };
    },
    listLeases: async (request, context) => {
      const { items, ...page } = await reads.leases(accountOf(context), request);
      return { leases: items, ...page };
    },
    lookUp: (request, context) => reads.known(accountOf(context), request.orders),
    async *watch(_request, context) {
      const provider = accountOf(context);
      const concerned = { feed, clock, concerns: (change: Parameters<typeof concerns>[2]) => concerns(kinds, provider, change) };
      for await (const position of wakes(concerned, context.signal)) yield { position };
    },
    createBid: async (request, context) => {
      const { price, offer } = request;
      return { bid: await createBid(options, callOf(context), accountOf(context), required(request.order), { price, offer }) };
    },
    closeBid: async (request, context) => {
      const reason = reasonOf(request.reason, 'withdrawn by its provider');
      const bid = await closeBid(options, callOf(context), accountOf(context), required(request.order), reason);
      return bid === undefined ? {} : { bid };
    },
    closeLease: async (request, context) => {
      const reason = reasonOf(request.reason, 'closed by its provider');
      return { lease: await closeLease(options, callOf(context), accountOf(context), required(request.order), reason) };
    },
    getManifest: async (request, context) =>
      await getManifest(manifests, callOf(context), accountOf(context), required(request.order), context.signal),
    reportDelivery: async (request, context) => {
      const lease = await reportDelivery(options, callOf(context), accountOf(context), required(request.order), request.delivery);
      return { lease };
    },
    listOwnerKeys: async ({ owner }, context) => {
      checkId(owner, 'owner');
      return { keys: await reads.keysOf(accountOf(context), owner) };
    },
  });
}
