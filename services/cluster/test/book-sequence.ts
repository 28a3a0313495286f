import { conditionsOf, needsNewPlan } from '../src/book/conditions.ts';
import { decideBy } from '../src/book/decide.ts';
import type { Decision } from '../src/book/decision.ts';
import { ReservationBook } from '../src/book/reservation-book.ts';
import type { LeasePod } from '../src/model/inventory-change.ts';
import type { InventoryKnowledge, IpPool, NodePortUse } from '../src/model/knowledge.ts';
import type { Reservation } from '../src/model/reservation.ts';
import { type CommitLevels, soldOnce } from '../src/placement/commit-level.ts';
import type { PlannedReplica, PlannedUnit } from '../src/placement/plan.ts';
import type { Request } from '../src/placement/request.ts';
import type { Headroom } from '../src/placement/stock-facts.ts';
import { readReservation } from '../src/reservations/reservation-object.ts';
import type { Told } from './book-model.ts';
import { requests } from './book-requests.ts';
import { type Disguise, fresh, pick, type Step, stale } from './book-steps.ts';
import { objectOf } from './reservation-objects.ts';
import { Gi } from './sample-facts.ts';
import { type Machine, machines, machinesAt, SimulatedCluster } from './simulated-cluster.ts';

const headroom: Headroom = { cpuMillis: 500, memoryBytes: Gi / 2, persistentBytes: Gi, ports: 1, ips: 1 };
const limits = { most: 1e6, perOwner: 3, ownerShare: 0.75, share: 0.9 };
const portQuantity = 8;

/** A cluster, what is promised of it, and the book that follows both. */
export class Sequence implements Told {
  readonly headroom = headroom;
  readonly portQuantity = portQuantity;
  readonly #cluster = new SimulatedCluster();
  readonly reservations = new Map<string, Reservation>();
  ports: NodePortUse = { byNamespace: new Map(), others: 1 };
  ips: IpPool | undefined = { total: 4, free: 4, byNamespace: new Map(), observedAt: 1 };
  book: ReservationBook;
  /** What every reserve and replan was answered. */
  readonly decisions: Decision[] = [];
  /** The reservation that the last step made or planned anew. */
  placed: string | undefined;
  /** Reservations whose time ran out. */
  expired = 0;
  /** While not everything was told. */
  restartedInDoubt = 0;
  soldInDoubt = 0;
  readonly #nameOf: (at: number) => string;
  readonly #deciding: { readonly limits: typeof limits; readonly levels: CommitLevels };
  #knowledge: InventoryKnowledge = fresh;
  #time = 1;
  #made = 0;

  constructor({ nameOf = (at) => `node-${at}`, order = [0, 1, 2] }: Disguise = {}, levels = soldOnce) {
    this.#nameOf = nameOf;
    this.#deciding = { limits, levels };
    this.book = this.#newBook();
    for (const at of order) this.#cluster.put(nameOf(at), machines[at] as Machine, `uid-${at}`);
    this.#publish('whole');
    this.#setPools(this.ports, this.ips);
  }

  get nodes(): Told['nodes'] {
    return this.#cluster.nodes;
  }

  get classes(): Told['classes'] {
    return this.#cluster.classes;
  }

  get pods(): Told['pods'] {
    return this.#cluster.pods;
  }

  get claims(): Told['claims'] {
    return this.#cluster.claims;
  }

  #newBook(): ReservationBook {
    const book = new ReservationBook({ headroom, nodePorts: portQuantity, storageLevel: this.#deciding.levels.storage });
    book.setKnowledge(this.#knowledge);
    return book;
  }

  /** One that has just started: it knows what objects say, and what is told now. */
  restarted(isInventoryFirst = false): ReservationBook {
    const book = this.#newBook();
    if (isInventoryFirst) book.takeInventory(this.#cluster.whole(this.#time));
    for (const reservation of [...this.reservations.values()].toReversed()) book.setReservation(readReservation(objectOf(reservation)));
    book.setIpPool(this.ips);
    if (!isInventoryFirst) book.takeInventory(this.#cluster.whole(this.#time));
    book.setNodePorts(this.ports);
    return book;
  }

  /** Whether everything that there is was told. */
  get isTold(): boolean {
    return this.#cluster.isTold;
  }

  /** Gives everything back, and takes everything away that runs for it. */
  undo(): void {
    for (const name of [...this.reservations.keys()]) this.#remove(name);
    this.#cluster.pods.clear();
    this.#cluster.claims.clear();
    this.#publish('delta');
    this.#setPools({ byNamespace: new Map(), others: 1 }, { total: 4, free: 4, byNamespace: new Map(), observedAt: this.#time });
  }

  do({ kind, a, b, c }: Step): void {
    this.placed = undefined;
    const reservation = pick([...this.reservations.values()], a);
    const node = this.#nameOf(b % 4);
    switch (kind) {
      case 'reserve':
        return this.#reserve(`order-${a % 6}`, `owner-${c % 2}`, pick(requests, b) as Request);
      case 'unreserve':
        if (reservation !== undefined) this.#remove(reservation.name);
        return;
      case 'confirm':
        if (reservation !== undefined) this.#set({ ...reservation, isConfirmed: true });
        return;
      case 'activate': {
        if (reservation === undefined) return;
        const leaseNamespace = { name: `ns-${reservation.name}`, uid: `ns-${reservation.name}-${c % 2}` };
        return this.#set({ ...reservation, phase: 'active', isConfirmed: true, expiresAt: undefined, leaseNamespace });
      }
      case 'pod':
      case 'strange-pod':
        if (reservation !== undefined) this.#addPod(reservation, b, c, kind === 'strange-pod');
        return this.#publish('delta');
      case 'move-pod': {
        const pod = pick([...this.#cluster.pods.values()], a);
        if (pod !== undefined) this.#movePod(pod, node, c % 4 === 0 ? undefined : pod.namespaceUid);
        return this.#publish('delta');
      }
      case 'remove-pod':
        this.#cluster.pods.delete(pick([...this.#cluster.pods.keys()], a) ?? '');
        return this.#publish('delta');
      case 'claim':
        if (reservation !== undefined) this.#addClaim(reservation, b, c);
        return this.#publish('delta');
      case 'remove-claim':
        this.#cluster.claims.delete(pick([...this.#cluster.claims.keys()], a) ?? '');
        return this.#publish('delta');
      case 'node':
        this.#cluster.put(node, pick(machinesAt(b % 4), a) as Machine, `uid-${b % 4}${c % 5 === 0 ? '-new' : ''}`);
        return this.#publish('delta');
      case 'remove-node':
        this.#cluster.machines.delete(node);
        return this.#publish('delta');
      case 'hold-back': {
        const held = this.#cluster.machines.get(node);
        if (held !== undefined) this.#cluster.machines.set(node, { ...held, isHeldBack: !held.isHeldBack });
        return this.#publish('delta');
      }
      case 'class':
        this.#cluster.diskGib = a % 14;
        return this.#publish('delta');
      case 'unknown-class':
        this.#cluster.silence(a, node);
        return this.#publish('delta');
      case 'gone-class':
        this.#cluster.delete(a);
        return this.#publish('delta');
      case 'pools':
        return this.#changePools(a, b, c);
      case 'replan':
        for (const name of needsNewPlan(this.book)) this.#replan(name);
        return;
      case 'restart':
        if (!this.isTold) this.restartedInDoubt += 1;
        this.book = this.restarted(a % 2 === 0);
        return;
      case 'whole':
        return this.#publish('whole');
      case 'expire':
        return this.#expire();
      case 'stale':
        return this.#hear(stale);
    }
  }

  #reserve(name: string, owner: string, request: Request): void {
    const decide = decideBy(this.book, this.#deciding);
    const decision = decide(request, owner);
    // What CheckFit answers on a replica that knows the same: to start one costs more than everything else, so now and then.
    const checked = this.isTold && this.#time % 3 === 0 ? decideBy(this.restarted(), this.#deciding)(request, owner) : decision;
    this.decisions.push(decision);
    if (JSON.stringify(decision) !== JSON.stringify(checked)) throw new Error(`CheckFit answers otherwise: ${JSON.stringify(checked)}`);
    if (this.#knowledge === stale && (decision.kind === 'plan' || decision.why !== 'not-known'))
      throw new Error('it was decided by what is stale');
    if (decision.kind !== 'plan' || this.reservations.has(name)) return;
    if (!this.isTold) this.soldInDoubt += 1;
    this.placed = name;
    this.#time += 1;
    this.#set({
      ...{ name, uid: `${name}-${this.#time}`, resourceVersion: '1', order: { owner, dseq: 1n, gseq: 1, oseq: 1 }, owner, request },
      ...{ plan: decision.plan, phase: 'pending', isConfirmed: false, createdAt: this.#time, expiresAt: this.#time + 100, term: 1 },
    });
  }

  /** So much later that no lease came in time of what is pending. */
  #expire(): void {
    this.#time += 100;
    for (const { name, expiresAt } of [...this.reservations.values()]) {
      if (expiresAt === undefined || expiresAt > this.#time) continue;
      this.#remove(name);
      this.expired += 1;
    }
  }

  #replan(name: string): void {
    const reservation = this.reservations.get(name);
    if (reservation === undefined) return;
    const decision = decideBy(this.book, this.#deciding)(reservation.request, reservation.owner, name);
    this.decisions.push(decision);
    if (decision.kind !== 'plan') return;
    this.placed = name;
    this.#set({ ...reservation, plan: decision.plan });
    if (conditionsOf(this.book, name).length > 0)
      throw new Error(`${name} was planned anew, and ${JSON.stringify(conditionsOf(this.book, name))}`);
  }

  #addPod(reservation: Reservation, b: number, c: number, isStrange: boolean): void {
    const replicas = reservation.plan.units.flatMap((each) => each.replicas.map((replica) => ({ unit: each, replica })));
    const { unit: planned, replica } = pick(replicas, b) as { unit: PlannedUnit; replica: PlannedReplica };
    this.#made += 1;
    const uid = `pod-${this.#made}`;
    const namespace = `ns-${reservation.name}`;
    const node = c % 4 === 0 ? this.#nameOf(b % 4) : replica.node;
    const { resource = '', count = 0, groups = [] } = replica.cards ?? {};
    this.#cluster.pods.set(uid, {
      ...{ uid, name: uid, service: c % 5 === 0 ? '' : `service-${planned.id}-${c % 2}`, namespace, node, devices: [] },
      namespaceUid: isStrange && c % 3 === 0 ? `${namespace}-other` : (reservation.leaseNamespace?.uid ?? `${namespace}-0`),
      cpuMillis: planned.cpuMillis + (isStrange && c % 3 === 1 ? 100 : 0) - (isStrange && c % 3 === 2 ? 10 : 0),
      memoryBytes: planned.memoryBytes,
      ephemeralBytes: planned.ephemeralBytes,
      cards: new Map(count === 0 ? [] : [[resource, count]]),
      cardGroups: count === 0 ? [] : this.#cluster.cardGroups(node, resource, groups),
    });
  }

  #movePod(pod: LeasePod, node: string, namespaceUid: string | undefined): void {
    const [resource = ''] = pod.cards.keys();
    const cardGroups = resource === '' ? [] : this.#cluster.cardGroups(node, resource, pod.cardGroups);
    this.#cluster.pods.set(pod.uid, { ...pod, node, namespaceUid, cardGroups });
  }

  #addClaim(reservation: Reservation, b: number, c: number): void {
    this.#made += 1;
    const uid = `claim-${this.#made}`;
    const planned = reservation.plan.units.filter(({ volumes }) => volumes.length > 0);
    const storageClass = pick(planned, b)?.volumes[0]?.class ?? (c % 2 === 0 ? 'local' : 'disk');
    const node = c % 4 === 0 ? this.#nameOf(b % 4) : pick(pick(planned, b)?.replicas ?? [], c)?.node;
    this.#cluster.claims.set(uid, {
      ...{ uid, name: uid, namespace: `ns-${reservation.name}`, storageClass, bytes: (1 + (b % 3)) * Gi },
      namespaceUid: reservation.leaseNamespace?.uid ?? `ns-${reservation.name}-0`,
      node: storageClass === 'local' && c % 5 > 0 ? node : undefined,
    });
  }

  #changePools(a: number, b: number, c: number): void {
    const uids = [...this.reservations.values()].flatMap(({ leaseNamespace }) => leaseNamespace?.uid ?? []);
    const uid = pick(uids, a) ?? 'elsewhere';
    const ports = { byNamespace: new Map([[uid, b % 4]]), others: c % 7 };
    const ips = c % 5 === 0 ? undefined : { total: 4, free: b % 5, byNamespace: new Map([[uid, a % 3]]), observedAt: this.#time };
    this.#setPools(ports, ips);
  }

  #setPools(ports: NodePortUse, ips: IpPool | undefined): void {
    this.ports = ports;
    this.ips = ips;
    this.book.setNodePorts(ports);
    this.book.setIpPool(ips);
  }

  #set(reservation: Reservation): void {
    this.reservations.set(reservation.name, reservation);
    this.book.setReservation(reservation);
  }

  #remove(name: string): void {
    this.reservations.delete(name);
    this.book.removeReservation(name);
  }

  #publish(kind: 'whole' | 'delta'): void {
    this.#time += 1;
    const delta = this.#cluster.delta(this.#time);
    this.book.takeInventory(kind === 'delta' ? delta : this.#cluster.whole(this.#time));
    this.#hear(fresh);
  }

  #hear(knowledge: InventoryKnowledge): void {
    this.#knowledge = knowledge;
    this.book.setKnowledge(knowledge);
  }
}
