/**
 * The part of the cluster service that runs leases, as its role starts it: elected, with its caches, its two controllers and its duties. What it gets from other parts of the
 * role is stood in for: the market is in this process, and reservations are there without objects of their own.
 */
import { tenantLeaseType } from '@quartermaster/api/tenant-lease';
import { orderName, type Reservation, type Reserver } from '@quartermaster/cluster';
import { RecordedMarket, startLeaseHost, tenantManifest, tenantOrder } from '@quartermaster/cluster/testing';
import { Controller, type Source, type SourceListener } from '@quartermaster/controller';
import { limit, StatusError, silentLog, sleep, systemClock, systemRandom } from '@quartermaster/kernel';
import { cacheOpener, FencedWriter, KubeClient, LeaderElection } from '@quartermaster/kube';
import type { LedController, Term } from '@quartermaster/runtime/host';
import { type Deployed, type LeaseRange, measuredAgent, memory, type Ready, type RunnerRequest } from './protocol.ts';
import { indexesOf, reservationOf, wishOf } from './sample-lease.ts';

const lookAgainMs = 10;
const price = { denom: 'uakt', amount: '1' };
const context = { clock: systemClock, random: systemRandom, log: silentLog };
const [kubeconfig = '', nodeNames = '', count = ''] = process.argv.slice(2);
const nodes = nodeNames.split(',');

const nameOf = (index: number): string => orderName(wishOf(index).order);

/** Names that somebody tells of. */
function toldSource(): { readonly source: Source; readonly tell: (name: string) => void } {
  const names = new Set<string>();
  const listeners = new Set<SourceListener>();
  const visitAll = (listener: SourceListener): void => names.forEach((name) => listener.key(name));
  const subscribe = (listener: SourceListener) => {
    listeners.add(listener);
    visitAll(listener);
    return () => void listeners.delete(listener);
  };
  const tell = (name: string): void => {
    names.add(name);
    for (const listener of listeners) listener.key(name);
  };
  return { source: { isSynced: () => true, whenSynced: async () => {}, subscribe, visitAll }, tell };
}

type Delivery = Parameters<RecordedMarket['report']>[1];

const reservations = new Map<string, Reservation>();
const deliveries = new Map<string, Delivery>(); // order -> how its lease goes, as the market was last told
const [marketNews, reservationNews] = [toldSource(), toldSource()];
const market = Object.assign(new RecordedMarket([], systemClock), {
  report: async (...[order, delivery]: Parameters<RecordedMarket['report']>) => {
    deliveries.set(orderName(order), delivery);
    return { kind: 'done', value: undefined } as const;
  },
});

/** The tenant has accepted our bid, and the market has the manifest. */
async function win(index: number): Promise<void> {
  const wish = wishOf(index);
  reservations.set(nameOf(index), reservationOf(index, nodes));
  market.order(tenantOrder(wish), tenantManifest(wish));
  await market.createBid(wish.order, { price, cards: new Map() });
  market.tenant('accept', wish.order);
  marketNews.tell(nameOf(index));
}

async function activate(...[order, leaseNamespace]: Parameters<Reserver['activate']>): Promise<Reservation> {
  const standing = reservations.get(orderName(order));
  if (standing === undefined) throw new StatusError('not_found', 'there is no reservation');
  const active: Reservation = { ...standing, phase: 'active', leaseNamespace };
  reservations.set(active.name, active);
  reservationNews.tell(active.name);
  return active;
}

const initial = indexesOf({ first: 0, count: Number(count) });
for (const index of initial) await win(index);

const begun = performance.now();
const client = await KubeClient.connect({ kubeconfig, userAgent: measuredAgent });
const led: LedController[] = [];
const duties: ((term: Term) => Promise<unknown>)[] = [];
const controllers: Controller[] = [];
await startLeaseHost({
  ...{ client, market, clock: systemClock, caches: cacheOpener(client, context) },
  leadership: { duty: (_name, run) => void duties.push(run), controller: (controller) => void led.push(controller) },
  view: {
    of: (name) => {
      const known = market.known.get(name);
      return { state: known?.state ?? 'unknown', order: known?.order, bid: known?.bid, lease: known?.lease, isAsked: true };
    },
    ask: async () => {},
    answered: () => {},
    problem: undefined,
    status: () => ({ readAt: 0, problem: undefined, openOrders: 0, openBids: 0, leases: market.known.size, unreadable: 0 }),
    source: marketNews.source,
  },
  book: { reservation: (name) => reservations.get(name), reservations: () => [...reservations.values()] },
  reservations: { reserver: { activate } as Reserver, cache: { source: reservationNews.source } },
});

const ending = new AbortController();
const election = new LeaderElection({ client, namespace: 'default', name: 'leases', identity: `bench-${process.pid}`, ...context });
const running = election.run(async (leadership) => {
  const { signal } = leadership;
  const term = { leadership, signal, writer: new FencedWriter(client, leadership) } as Term;
  for (const { name: _, reconciler, ...options } of led)
    controllers.push(new Controller({ ...options, ...context, reconciler: reconciler(term) }));
  const all = [...controllers.map((each) => each.run(signal)), ...duties.map((duty) => duty(term))];
  await Promise.all(all.map((each) => each.catch((thrown: unknown) => (signal.aborted ? undefined : Promise.reject(thrown)))));
}, ending.signal);

const isIdle = (): boolean =>
  controllers.length > 0 &&
  controllers.every((each) => {
    const { synced, queue } = each.status();
    return synced && queue.depth === 0 && queue.inFlight === 0 && queue.failing === 0;
  });

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(systemClock, lookAgainMs);
}

async function deploy(leases: LeaseRange, atOnce: number): Promise<Deployed> {
  const inTurn = limit(atOnce);
  const seconds = await Promise.all(
    indexesOf(leases).map((index) =>
      inTurn(async () => {
        const acceptedAt = systemClock.now();
        await win(index);
        await until(() => deliveries.get(nameOf(index))?.deployedAt !== undefined);
        return ((deliveries.get(nameOf(index))?.deployedAt ?? Number.NaN) - acceptedAt) / 1000;
      }),
    ),
  );
  return { seconds };
}

async function close(leases: LeaseRange): Promise<object> {
  for (const index of indexesOf(leases)) {
    market.tenant('close-lease', wishOf(index).order);
    marketNews.tell(nameOf(index));
  }
  for (const name of indexesOf(leases).map(nameOf)) {
    await until(() => deliveries.get(name)?.state === 'Complete');
    reservations.delete(name);
    await client.delete(tenantLeaseType, { name });
  }
  return {};
}

async function answer(request: RunnerRequest): Promise<object> {
  if (request.kind === 'deploy') return await deploy(request.leases, request.atOnce);
  if (request.kind === 'close') return await close(request.leases);
  return request.kind === 'memory' ? memory() : {};
}

process.on('disconnect', () => {
  // The lease of the election is given back, so that the next process need not wait for its end.
  ending.abort();
  void running.finally(() => process.exit(0));
});
process.on('message', (request: RunnerRequest) => void answer(request).then((told) => process.send?.(told)));
await until(() => isIdle() && initial.every((index) => deliveries.get(nameOf(index))?.health === 'healthy'));
process.send?.({ seconds: (performance.now() - begun) / 1000 } satisfies Ready);
