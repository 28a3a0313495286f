import type { NodeRow } from '@quartermaster/api/inventory-views';
import { type OrderId, orderName, type Plan, type Request, type Reservation, type Reserver } from '@quartermaster/cluster';
import { decideBy, type LeasePod, ReservationBook, reservationService } from '@quartermaster/cluster/testing';
import { StatusError, silentLog, systemClock } from '@quartermaster/kernel';
import type { ServedService } from '@quartermaster/rpc';
import { startRoleServers } from '@quartermaster/runtime/host';
import { Health, healthy, Metrics } from '@quartermaster/service';
import { inventoryOf, podsOf } from './farm-inventory.ts';

const gib = 1024 ** 3;
export const owners = ['akash1q7n3eq2m9yq3u5z8p0d4kfs6lvx2c9ratw8hjk', 'akash1zz9h6x4cp0r2ynk7qk3s5u8dw1mtl6fgve0avp'] as const;

/** Of one unit: so many replicas with this many cards each. */
const requestOf = (count: number, gpus: number): Request => ({
  units: [
    {
      id: 1,
      count,
      cpuMillis: 4_000,
      memoryBytes: 16 * gib,
      gpus: gpus === 0 ? undefined : { count: gpus, wants: [{ vendor: 'NVIDIA', model: 'H100 SXM 80GB' }] },
      volumes: [
        { kind: 'ephemeral', name: 'disk', bytes: 10 * gib },
        { kind: 'persistent', name: 'data', class: 'beta3', bytes: 100 * gib },
      ],
      randomPorts: 2,
    },
  ],
});

interface Asked {
  readonly count: number;
  readonly gpus?: number | undefined;
  readonly owner?: string | undefined;
}

/** What becomes of a reservation; so many of its replicas run as pods. */
type Changed = Partial<Pick<Reservation, 'phase' | 'isConfirmed' | 'expiresAt' | 'leaseNamespace'>> & {
  readonly pods?: number | undefined;
};

/**
 * The cluster service as its callers see it, over the nodes of a farm: its own book, decisions and contract. Reservations are in memory alone, where the
 * service has objects. Whoever shows the token of a reader may only read.
 */
export class ReservingCluster {
  readonly book = new ReservationBook();
  readonly decide = decideBy(this.book);
  readonly readers = new Set<string>(); // tokens
  /** What it serves beside reservations. */
  readonly more: ServedService[] = [];
  url = '';
  readonly #nodes: () => readonly NodeRow[];
  #pods: readonly LeasePod[] = [];
  #stop: (() => Promise<void>) | undefined;
  #made = 0;

  constructor(nodes: () => readonly NodeRow[]) {
    this.#nodes = nodes;
    this.book.setNodePorts({ byNamespace: new Map(), others: 68 });
    this.hear();
  }

  /** Hears of the nodes as they are, or no longer. */
  hear(silence?: { readonly code: string; readonly message: string }): void {
    const at = Date.now();
    if (silence === undefined) this.book.takeInventory(inventoryOf(this.#nodes(), this.#pods));
    const generation = { epoch: 'e', sequence: 7n };
    this.book.setKnowledge({ protocol: 'deltas', generation, observedAt: at, lastContactAt: at, problem: silence });
  }

  /** Reserves as the service would. Throws where it does not fit. */
  reserve({ count, gpus = 0, owner = owners[0] }: Asked, { pods = 0, ...changed }: Changed = {}): Reservation {
    this.#made += 1;
    const request = requestOf(count, gpus);
    const decision = this.decide(request);
    if (decision.kind !== 'plan') throw new Error(`it does not fit: ${JSON.stringify(decision)}`);
    const order = { owner, dseq: 1_234_560n + BigInt(this.#made), gseq: 1, oseq: 1 };
    const reservation = { ...newReservation(order, request, decision.plan), ...changed };
    this.book.setReservation(reservation);
    if (pods > 0) {
      this.#pods = [...this.#pods, ...podsOf(decision.plan, reservation.leaseNamespace?.uid ?? '', pods)];
      this.hear();
    }
    return reservation;
  }

  /** Somebody else is found to have taken all cores but these: whoever was promised them shares what is left. */
  leaveCores(node: string, cpuMillis: number): void {
    const change = inventoryOf(
      this.#nodes().filter(({ name }) => name === node),
      [],
    );
    const nodes = change.nodes.map(({ facts, ...figures }) => ({ ...figures, facts: { ...facts, cpuMillis } }));
    this.book.takeInventory({ ...change, kind: 'delta', nodes, classes: [] });
  }

  async start(): Promise<void> {
    const health = new Health();
    health.register('cluster', 'ready', () => healthy);
    const ends: (() => unknown)[] = [];
    const metrics = new Metrics({ process: false });
    const keep = (_name: string, stop: () => unknown): void => void ends.push(stop);
    const host = { prefix: 'cluster', health, metrics, keep, clock: systemClock, log: silentLog };
    const files = { certFile: undefined, keyFile: undefined, clientCaFile: undefined };
    // One that is started again is where it was.
    const restPort = this.url === '' ? 0 : Number(new URL(this.url).port);
    const config = { host: '127.0.0.1', grpcPort: 0, restPort, certificatePort: undefined, ...files };
    const status = { version: '0.1.0', replica: 'cluster-0', isLeader: true, leader: 'cluster-0', term: 7, startedAt: Date.now() };
    const { rest } = await startRoleServers(host, config, health, {
      services: [
        reservationService({
          book: this.book,
          decide: this.decide,
          placing: {},
          maxLifetimeMs: 300_000,
          reserver: () => this.#reserver,
          leader: { send: nobodyLeads },
          status: () => status,
          clock: systemClock,
        }),
        ...this.more,
      ],
      routes: [{ path: '/v1/session', answer: (_request, context) => ({ json: this.#callerOf(context?.header('authorization')) }) }],
      callers: () => ({ kind: 'token', name: 'somebody', groups: [] }),
      isServing: () => true,
    });
    this.url = rest;
    this.#stop = async () => void (await Promise.all(ends.map((end) => end())));
  }

  async stop(): Promise<void> {
    await this.#stop?.();
    this.#stop = undefined;
  }

  #callerOf(authorization: string | undefined): { readonly name: string; readonly role: string } {
    const isReader = this.readers.has(authorization?.slice('Bearer '.length) ?? '');
    return isReader ? { name: 'rita', role: 'reader' } : { name: 'admin', role: 'admin' };
  }

  readonly #reserver: Reserver = {
    reserve: async ({ order, owner, request }) => {
      const decision = this.decide(request, owner);
      if (decision.kind !== 'plan') return decision;
      const reservation = newReservation(order, request, decision.plan);
      this.book.setReservation(reservation);
      return { kind: 'reserved', reservation };
    },
    unreserve: async (order) => {
      const former = this.book.reservation(orderName(order));
      this.book.removeReservation(orderName(order));
      return former;
    },
    activate: async () => {
      throw new StatusError('failed_precondition', 'no lease comes of these');
    },
  };
}

function nobodyLeads(): never {
  throw new StatusError('unavailable', 'nobody leads');
}

/** A confirmed one that is pending for four more minutes. */
export function newReservation(order: OrderId, request: Request, plan: Plan): Reservation {
  const name = orderName(order);
  const at = Date.now();
  return {
    name,
    uid: `uid-of-${name}`,
    resourceVersion: '1',
    order,
    owner: order.owner,
    request,
    plan,
    phase: 'pending',
    isConfirmed: true,
    createdAt: at - 60_000,
    expiresAt: at + 240_000,
    term: 7,
  };
}
