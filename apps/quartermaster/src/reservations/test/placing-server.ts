import { type NodeFacts, orderName } from '@quartermaster/cluster';
import {
  bookOf,
  decideBy,
  delta,
  figures,
  noLimits,
  type Reservation,
  type ReservationBook,
  reservationService,
  SampleReserver,
} from '@quartermaster/cluster/testing';
import { systemClock } from '@quartermaster/kernel';
import { type RpcServer, startRpcServer } from '@quartermaster/rpc';
import { parseOrder } from '../order-name.ts';

const nobody = async (): Promise<never> => {
  throw new Error('this replica leads itself');
};

/** The cluster service over a book of its own, which no API server keeps. */
export class PlacingServer {
  readonly book: ReservationBook;
  readonly #nodes: readonly NodeFacts[];
  #server: RpcServer | undefined;

  private constructor(nodes: readonly NodeFacts[]) {
    this.#nodes = nodes;
    this.book = bookOf(nodes, [], { nodePorts: 2 });
  }

  static async start(nodes: readonly NodeFacts[]): Promise<PlacingServer> {
    const made = new PlacingServer(nodes);
    await made.listen();
    return made;
  }

  get address(): string {
    return this.#server?.address ?? '';
  }

  /** How much is promised. */
  get size(): number {
    return this.book.reservations().length;
  }

  /** On the port that it had, if it had one. */
  async listen(): Promise<void> {
    const { book } = this;
    const decide = decideBy(book, { limits: noLimits });
    const reserver = new SampleReserver(book, decide, systemClock);
    const service = reservationService({
      ...{ book, decide, placing: {}, maxLifetimeMs: 600_000, clock: systemClock },
      reserver: () => reserver,
      leader: { send: nobody },
      status: () => ({ version: 'test', replica: 'test', isLeader: true, leader: 'test', term: 1, startedAt: 0 }),
    });
    this.#server = await startRpcServer({ services: [service], port: this.#server?.port });
  }

  async stop(): Promise<void> {
    await this.#server?.stop(0);
  }

  /** There is a lease of it. */
  activate(order: string): void {
    const leaseNamespace = { name: 'lease-7', uid: 'n' };
    this.book.setReservation({ ...this.#standing(order), phase: 'active', expiresAt: undefined, leaseNamespace });
  }

  /** The nodes that it is planned on have only so much now. */
  shrink(order: string, cpuMillis: number): void {
    const names = this.#standing(order).plan.units.flatMap(({ replicas }) => replicas.map(({ node }) => node));
    const nodes = this.#nodes.filter(({ name }) => names.includes(name)).map((facts) => figures({ ...facts, cpuMillis }));
    this.book.takeInventory(delta({ nodes }));
  }

  /** As many more of the same owner, of nothing. */
  repeat(order: string, times: number): void {
    const standing = this.#standing(order);
    for (let at = 0; at < times; at += 1) {
      const next = { ...standing.order, dseq: standing.order.dseq + BigInt(at) + 1n };
      this.book.setReservation({ ...standing, order: next, name: orderName(next), plan: { units: [], ports: 0, ips: 0 } });
    }
  }

  #standing(order: string): Reservation {
    const standing = this.book.reservation(orderName(parseOrder(order)));
    if (standing === undefined) throw new Error(`${order} has no reservation`);
    return standing;
  }
}
