import { create, equals, type MessageInitShape } from '@bufbuild/protobuf';
import { durationMs, timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  CardAssignment,
  type NearestChangeSchema,
  type NodeGroupSchema,
  type PlanSchema,
  RefusalKind,
  type RefusalSchema,
  type Reservation,
  ReservationPhase,
  ReservationSchema,
  ReservationService,
  type ResourceRequest,
  ResourceRequestSchema,
  VolumeKind,
} from '@quartermaster/api/cluster';
import { orderText } from '@quartermaster/api/states';
import { type Change, explain, holdsOf, type NodeFacts, type Plan, place, type Request, type Stock } from '@quartermaster/cluster';
import { StatusError } from '@quartermaster/kernel';
import { type RpcServer, serve, startRpcServer } from '@quartermaster/rpc';
import type { Order } from '../order-name.ts';

/** Pages are small, so that lists have several. */
const maxPage = 2;
const lifetimeMs = 600_000;

/** Places requests on a stock and keeps what it promised in memory, by the contract of the cluster service. */
export class PlacingServer {
  readonly kept = new Map<string, Reservation>(); // order -> reservation
  readonly #stock: Stock;
  readonly #nodes: readonly NodeFacts[];
  #made = 0;
  #server: RpcServer | undefined;

  private constructor(stock: Stock, nodes: readonly NodeFacts[]) {
    this.#stock = stock;
    this.#nodes = nodes;
    for (const node of nodes) stock.setNode(node);
  }

  static async start(stock: Stock, nodes: readonly NodeFacts[]): Promise<PlacingServer> {
    const made = new PlacingServer(stock, nodes);
    await made.listen();
    return made;
  }

  get address(): string {
    return this.#server?.address ?? '';
  }

  /** On the port that it had, if it had one. */
  async listen(): Promise<void> {
    this.#server = await startRpcServer({ services: [this.#service()], port: this.#server?.port });
  }

  async stop(): Promise<void> {
    await this.#server?.stop(0);
  }

  change(order: string, changed: MessageInitShape<typeof ReservationSchema>): void {
    const before = this.kept.get(order);
    if (before === undefined) throw new Error(`${order} has no reservation`);
    this.kept.set(order, { ...before, ...create(ReservationSchema, changed), ...definedOf(before, changed) });
  }

  #service() {
    return serve(ReservationService, {
      reserve: ({ order, request, lifetime }) => ({
        outcome: this.#reserve(orderOf(order), requestIn(request), lifetime && durationMs(lifetime)),
      }),
      unreserve: ({ order, uid }) => ({ reservation: this.#unreserve(orderOf(order), uid) }),
      getReservation: ({ order }) => {
        const text = orderText(orderOf(order));
        const reservation = this.kept.get(text);
        if (reservation === undefined) throw new StatusError('not_found', `there is no reservation for the order ${text}`);
        return { reservation };
      },
      listReservations: ({ owner, phase, node, condition, pageToken }) => {
        const found = [...this.kept.values()].filter(
          (each) =>
            (owner === '' || each.owner === owner) &&
            (phase === ReservationPhase.UNSPECIFIED || each.phase === phase) &&
            (node === '' || each.plan?.units.some(({ replicas }) => replicas.some((replica) => replica.node === node)) === true) &&
            (condition === '' || each.conditions.some(({ type }) => type === condition)),
        );
        const from = Number(pageToken);
        const next = from + maxPage;
        return { reservations: found.slice(from, next), nextPageToken: next < found.length ? String(next) : '' };
      },
      getStatus: () => ({ replica: 'test', isLeader: true }),
      checkFit: ({ request }) => ({ outcome: this.#decide(requestIn(request)) }),
      explainFit: ({ request: message, namedNodes }) => {
        const request = requestOf(requestIn(message));
        const outcome = this.#decide(requestIn(message));
        const nodeGroups = this.#groups(request, namedNodes === 0 ? 10 : namedNodes);
        if (outcome.case === 'plan') return { outcome, nodeGroups };
        const { changes } = explain(this.#stock, request, { releasing: [...this.kept.keys()] });
        return {
          outcome: { case: 'refusal', value: { ...outcome.value, nearestChanges: changes.map((each) => this.#change(each)) } },
          nodeGroups,
        };
      },
    });
  }

  #reserve(order: Order, request: ResourceRequest, wantedMs = lifetimeMs) {
    const text = orderText(order);
    const standing = this.kept.get(text);
    if (standing?.request !== undefined) {
      if (equals(ResourceRequestSchema, standing.request, request)) return { case: 'reservation', value: standing } as const;
      throw new StatusError('already_exists', `order ${text} has a reservation of another request: unreserve it first`);
    }
    const decided = this.#decide(request);
    if (decided.case === 'refusal') return decided;
    const placing = place(this.#stock, requestOf(request));
    if (placing.kind === 'plan') this.#stock.hold(text, holdsOf(placing.plan));
    const now = Date.now();
    this.#made += 1;
    const value = create(ReservationSchema, {
      order,
      uid: `uid-${this.#made}`,
      owner: order.owner,
      request,
      plan: decided.value,
      phase: ReservationPhase.PENDING,
      confirmed: true,
      createdAt: timestampFromMs(now),
      expiresAt: timestampFromMs(now + Math.min(wantedMs, lifetimeMs)),
      term: 1n,
      promised: { cpuMillis: request.units.reduce((sum, unit) => sum + unit.cpuMillis * BigInt(unit.count), 0n) },
      allocated: {},
      unitPods: request.units.map(({ id, count }) => ({ unit: id, replicas: count, pods: 0 })),
    });
    this.kept.set(text, value);
    return { case: 'reservation', value } as const;
  }

  #unreserve(order: Order, uid: string): Reservation | undefined {
    const text = orderText(order);
    const found = this.kept.get(text);
    if (found === undefined || (uid !== '' && found.uid !== uid)) return undefined;
    this.kept.delete(text);
    this.#stock.release(text);
    return found;
  }

  #decide(request: ResourceRequest) {
    const placing = place(this.#stock, requestOf(request));
    if (placing.kind === 'plan') return { case: 'plan', value: planMessage(placing.plan) } as const;
    const isRefused = placing.kind === 'refusal';
    const reasons = isRefused ? placing.reasons : [];
    const value: MessageInitShape<typeof RefusalSchema> = {
      kind: isRefused ? RefusalKind.DOES_NOT_FIT : RefusalKind.NOT_FOUND,
      summary: `It does not fit: ${reasons.map(({ message }) => message).join('; ')}.`,
      reasons: reasons.map((reason) => ({ ...reason })),
    };
    return { case: 'refusal', value } as const;
  }

  /** Each node by itself, by what a replica of the first unit lacks there. */
  #groups({ units: [unit] }: Request, named: number): MessageInitShape<typeof NodeGroupSchema>[] {
    if (unit === undefined) return [];
    const byLack = Map.groupBy(this.#nodes, (node) => JSON.stringify([node.heldBack, this.#freeCpu(node) < unit.cpuMillis]));
    return [...byLack.values()].map((nodes) => {
      const [first] = nodes;
      const most = Math.max(...nodes.map((node) => this.#freeCpu(node)));
      const short = { unit: unit.id, resource: 'cpu', needed: BigInt(unit.cpuMillis), free: BigInt(most) };
      return {
        count: BigInt(nodes.length),
        nodes: nodes.slice(0, named).map(({ name }) => name),
        shortfalls: [...(first?.heldBack ?? []).map((reason) => ({ reason: { ...reason } })), ...(most < unit.cpuMillis ? [short] : [])],
      };
    });
  }

  #freeCpu({ name, cpuMillis }: NodeFacts): number {
    const held = [...this.kept.keys()].map((order) => this.#stock.holdsOf(order)?.nodes.get(name)?.cpuMillis ?? 0);
    return cpuMillis - held.reduce((sum, each) => sum + each, 0);
  }

  #change(change: Change): MessageInitShape<typeof NearestChangeSchema> {
    if (change.kind === 'release') {
      const orders = change.ids.flatMap((id) => this.kept.get(id)?.order ?? []);
      return { message: 'It fits once others are given back.', change: { case: 'awaitRelease', value: { orders } } };
    }
    if (change.kind === 'other-model') return { message: `Unit ${change.unit} fits with ${change.group.model}.` };
    return { message: `Unit ${change.unit} fits with ${change.to} ${change.what} instead of ${change.from}.` };
  }
}

/** What was not said to change. */
function definedOf(before: Reservation, changed: MessageInitShape<typeof ReservationSchema>): Partial<Reservation> {
  return Object.fromEntries(Object.entries(before).filter(([field]) => !(field in changed)));
}

function orderOf(order: Order | undefined): Order {
  if (order === undefined) throw new StatusError('invalid_argument', 'an order is needed');
  return order;
}

function requestIn(request: ResourceRequest | undefined): ResourceRequest {
  if (request === undefined) throw new StatusError('invalid_argument', 'a request is needed');
  return request;
}

function requestOf({ units }: ResourceRequest): Request {
  return {
    units: units.map(({ id, count, cpuMillis, memoryBytes, gpus, volumes, randomPorts, leasedIps }) => ({
      id,
      count,
      cpuMillis: Number(cpuMillis),
      memoryBytes: Number(memoryBytes),
      gpus: gpus && {
        count: gpus.count,
        wants: gpus.wants.map(({ vendor, model, memoryBytes: size, interface: form }) => ({
          vendor,
          model,
          memoryBytes: size === undefined ? undefined : Number(size),
          interface: form,
        })),
      },
      volumes: volumes.map(({ name, bytes, kind, storageClass }) =>
        kind === VolumeKind.PERSISTENT
          ? { kind: 'persistent', name, bytes: Number(bytes), class: storageClass }
          : { kind: kind === VolumeKind.RAM ? 'ram' : 'ephemeral', name, bytes: Number(bytes) },
      ),
      randomPorts,
      leasedIps,
    })),
  };
}

function planMessage({ units, ports, ips }: Plan): MessageInitShape<typeof PlanSchema> {
  return {
    units: units.map(({ id, cpuMillis, memoryBytes, ephemeralBytes, volumes, replicas }) => ({
      id,
      cpuMillis: BigInt(cpuMillis),
      memoryBytes: BigInt(memoryBytes),
      ephemeralStorageBytes: BigInt(ephemeralBytes),
      volumes: volumes.map((volume) => ({ name: volume.name, storageClass: volume.class, bytes: BigInt(volume.bytes) })),
      replicas: replicas.map(({ node, uid, cards }) => ({
        node,
        nodeUid: uid,
        cards: cards && {
          resource: cards.resource,
          count: cards.count,
          assignedBy: cards.group === undefined ? CardAssignment.PLUGIN : CardAssignment.CLAIM,
          groups: cards.groups.map((group) => ({ ...group, memoryBytes: BigInt(group.memoryBytes) })),
        },
      })),
    })),
    ports,
    leasedIps: ips,
  };
}
