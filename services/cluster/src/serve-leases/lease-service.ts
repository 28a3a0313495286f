import type { MessageInitShape } from '@bufbuild/protobuf';
import { LeaseService, type PreviewManifestResponseSchema, type RunningLeaseSchema } from '@quartermaster/api/cluster';
import { orderText } from '@quartermaster/api/states';
import { StatusError } from '@quartermaster/kernel';
import { type ServedService, serve } from '@quartermaster/rpc';
import type { ShellRecord } from '../gateway/journal/shell-record.ts';
import type { ShellStore } from '../gateway/journal/shell-store.ts';
import type { HostnameBook } from '../hostnames/hostname-book.ts';
import type { LeaseSights } from '../known-leases/lease-sight.ts';
import type { LeaseActions } from '../leases/lease-action-types.ts';
import type { OrderId } from '../model/order.ts';
import { orderName } from '../reservations/order-name.ts';
import type { LeaderLine } from '../serve/leader-line.ts';
import { byText, type PageOrder, pageOf } from '../serve/page-of.ts';
import { orderOf, ownerOf } from '../serve/request-message.ts';
import { hostnameMessage } from './hostname-message.ts';
import { problemMessage, runningLeaseMessage } from './lease-message.ts';
import { pageOfLeases } from './lease-page.ts';
import { confirmedOf, endpointOf, manifestOf, reasonOf, wantedOf } from './lease-requests.ts';
import { shellMessage } from './shell-message.ts';

export interface LeaseServiceOptions {
  readonly sights: LeaseSights;
  readonly hostnames: Pick<HostnameBook, 'all'>;
  readonly shells: Pick<ShellStore, 'all' | 'of'>;
  /** How long a released hostname stays its owner's. */
  readonly coolDownMs: number;
  /** While this replica leads. Throws `unavailable` until it has taken over from the leader before it. */
  readonly actions: () => LeaseActions | undefined;
  /** To the one that leads while this one does not. */
  readonly leader: Pick<LeaderLine, 'send'>;
}

/** quartermaster.cluster.v1. What is wrong with a request is told by whichever replica it came to. */
export function leaseService({ sights, hostnames, shells, coolDownMs, actions, leader }: LeaseServiceOptions): ServedService {
  const { method } = LeaseService;
  const shown = (order: OrderId): MessageInitShape<typeof RunningLeaseSchema> | undefined => {
    const sight = sights.of(orderName(order));
    return sight && runningLeaseMessage(sight, { withDetails: true });
  };
  return serve(LeaseService, {
    getLease: ({ order: wanted }) => {
      const order = orderOf(wanted);
      const lease = shown(order);
      if (lease !== undefined) return { lease };
      const message = `nothing is known of a lease of the order ${orderText(order)}: it was never won here, or has ended and was forgotten`;
      throw new StatusError('not_found', message);
    },
    listLeases: (request) => {
      const { leases, nextPageToken, total } = pageOfLeases(request, sights.all());
      return {
        leases: leases.map((sight) => runningLeaseMessage(sight, { withDetails: request.details })),
        nextPageToken,
        stale: [...sights.stale()],
        strangers: sights.strangers().map(({ namespace, code, message }) => problemMessage(code, message, namespace)),
        total: BigInt(total),
      };
    },
    submitManifest: async (request, context) => {
      const [order, json, confirmed] = [orderOf(request.order), manifestOf(request.manifest), confirmedOf(request)];
      const here = actions();
      if (here === undefined) return await leader.send(method.submitManifest, request, context);
      await here.submitManifest(order, { json, confirmed }, context.signal);
      return { lease: shown(order) };
    },
    previewManifest: async (request, context) => {
      const [order, json] = [orderOf(request.order), manifestOf(request.manifest)];
      const here = actions();
      if (here === undefined) return await leader.send(method.previewManifest, request, context);
      return previewMessage(await here.previewManifest(order, json, context.signal));
    },
    closeLease: async (request, context) => {
      const [order, reason] = [orderOf(request.order), reasonOf(request)];
      const here = actions();
      if (here === undefined) return await leader.send(method.closeLease, request, context);
      await here.closeLease(order, reason, context.signal);
      return {};
    },
    listHostnames: (request) => {
      const owner = ownerOf(request.owner);
      const all = hostnames.all().filter((name) => owner === undefined || name.owner === owner);
      const { items, nextPageToken } = pageOf(
        request,
        all,
        byText(({ hostname }) => hostname),
      );
      return { hostnames: items.map((name) => hostnameMessage(name, coolDownMs)), nextPageToken };
    },
    listShells: (request) => {
      const owner = ownerOf(request.owner);
      const found = request.order === undefined ? shells.all() : shells.of(orderName(orderOf(request.order)));
      const matching = found.filter(({ lease }) => owner === undefined || lease.owner === owner);
      const { items, nextPageToken } = pageOf(request, matching, newestFirst);
      return { shells: items.map(shellMessage), nextPageToken, total: BigInt(matching.length) };
    },
    transferHostname: async (request, context) => {
      const [order, wanted] = [orderOf(request.order), wantedOf(request)];
      const here = actions();
      if (here === undefined) return await leader.send(method.transferHostname, request, context);
      return { hostname: hostnameMessage(await here.transferHostname(order, wanted, context.signal), coolDownMs) };
    },
    transferAddress: async (request, context) => {
      const [order, endpoint, from] = [orderOf(request.order), endpointOf(request), orderOf(request.from, 'from')];
      const here = actions();
      if (here === undefined) return await leader.send(method.transferAddress, request, context);
      return { address: await here.transferAddress(order, { endpoint, from }, context.signal) };
    },
    collectLeftovers: async (request, context) => {
      const here = actions();
      if (here === undefined) return await leader.send(method.collectLeftovers, request, context);
      const leftovers = await here.collectLeftovers({ dryRun: request.dryRun }, context.signal);
      return { leftovers: leftovers.map(({ object, lease, reason, fate, message }) => ({ object, lease, reason, fate, message })) };
    },
  });
}

const byName = byText(({ name }: ShellRecord) => name);
/** Names sort by time. */
const newestFirst: PageOrder<ShellRecord, readonly [string]> = { ...byName, compare: (a, b) => byName.compare(b, a) };

type Preview = Awaited<ReturnType<LeaseActions['previewManifest']>>;

function previewMessage({ changes, refusals }: Preview): MessageInitShape<typeof PreviewManifestResponseSchema> {
  return {
    changes: changes.changes.map(({ service, code, message }) => ({ service, code, message })),
    restarted: [...changes.restarted],
    lostVolumes: [...changes.lostVolumes],
    refusals: refusals.map(({ code, message }) => problemMessage(code, message, '')),
  };
}
