import type { MessageInitShape } from '@bufbuild/protobuf';
import { durationMs } from '@bufbuild/protobuf/wkt';
import {
  type ExplainFitRequest,
  type ExplainFitResponseSchema,
  ReservationService,
  type ReserveRequest,
  type ReserveResponseSchema,
} from '@quartermaster/api/cluster';
import { orderText } from '@quartermaster/api/states';
import { type Clock, invalidFields, StatusError } from '@quartermaster/kernel';
import { type CallContext, type ServedService, serve } from '@quartermaster/rpc';
import { formatDuration } from '@quartermaster/service';
import type { Decide, Decision, Refused } from '../book/decision.ts';
import { explainFit } from '../book/explain-fit.ts';
import type { ReservationBook } from '../book/reservation-book.ts';
import type { OrderId } from '../model/order.ts';
import type { PlacingOptions } from '../placement/place.ts';
import type { Request } from '../placement/request.ts';
import { orderName } from '../reservations/order-name.ts';
import { madeForBid } from '../reservations/reservation-objects.ts';
import type { Reserved, Reserver } from '../reservations/reserver.ts';
import { changeMessage, nodeGroupMessage } from './explanation-message.ts';
import { FitQuestions } from './fit-questions.ts';
import type { LeaderLine } from './leader-line.ts';
import { generationMessage, planMessage } from './plan-message.ts';
import { refusalMessage } from './refusal-message.ts';
import { orderOf, ownerOf, requestOf } from './request-message.ts';
import { formerMessage, reservationMessage } from './reservation-message.ts';
import { pageOfReservations } from './reservation-page.ts';
import { type ReplicaStatus, statusMessage } from './status-message.ts';

export interface ReservationServiceOptions {
  readonly book: ReservationBook;
  /** What Reserve asks, too. */
  readonly decide: Decide;
  /** How it places, for explanations. */
  readonly placing: PlacingOptions;
  /** `cluster-pending-lifetime`: how long a reservation may be pending. */
  readonly maxLifetimeMs: number;
  /** While this replica leads. Throws `unavailable` until it has taken over from the leader before it. */
  readonly reserver: () => Reserver | undefined;
  /** To the one that leads while this one does not. */
  readonly leader: Pick<LeaderLine, 'send'>;
  readonly status: () => ReplicaStatus;
  /** Told of every answer to Reserve that was decided here. */
  readonly onDecision?: ((outcome: 'reserved' | Refused['why'], durationMs: number) => void) | undefined;
  readonly clock: Clock;
}

/** quartermaster.cluster.v1. */
export function reservationService(options: ReservationServiceOptions): ServedService {
  const { book, decide, reserver, leader, status, maxLifetimeMs, clock } = options;
  const questions = new FitQuestions(clock);
  return serve(ReservationService, {
    reserve: async (message, context) => {
      // What is wrong with it is told by whichever replica it came to.
      const asked = askedOf(message, maxLifetimeMs);
      const here = reserver();
      return here === undefined
        ? await leader.send(ReservationService.method.reserve, message, context)
        : await reserve(options, here, asked, context);
    },
    unreserve: async (message, context) => {
      const order = orderOf(message.order);
      const here = reserver();
      if (here === undefined) return await leader.send(ReservationService.method.unreserve, message, context);
      const standing = book.reservation(orderName(order));
      if (standing?.bid !== undefined) throw madeForBid(standing.name);
      const former = await here.unreserve(order, message.uid === '' ? undefined : message.uid, context.signal);
      return { reservation: former && formerMessage(former) };
    },
    getReservation: ({ order: wanted }) => {
      const order = orderOf(wanted);
      const found = book.reservation(orderName(order));
      if (found === undefined) throw new StatusError('not_found', `there is no reservation for the order ${orderText(order)}`);
      return { reservation: reservationMessage(found, book) };
    },
    listReservations: (request) => {
      const { items: reservations, nextPageToken } = pageOfReservations(request, book);
      return { reservations: reservations.map((each) => reservationMessage(each, book)), nextPageToken };
    },
    getStatus: () => statusMessage(status(), book),
    checkFit: async (message, { signal, identity }) => {
      const [request, owner] = [requestOf(message.request), ownerOf(message.owner)];
      return await questions.ask(nameOf(identity), () => ({ outcome: fitOutcome(decide(request, owner), book) }), signal);
    },
    explainFit: async (message, { signal, identity }) => await questions.ask(nameOf(identity), explanation(message, options), signal),
  });
}

/** As calls are counted. */
const nameOf = ({ kind, vouchedBy, name }: CallContext['identity']): string => `${kind} ${vouchedBy ?? ''} ${name}`;

/** For less, nobody could do anything with a reservation that costs two writes and a delete. */
const minLifetimeMs = 1_000;

interface Asked {
  readonly order: OrderId;
  readonly request: Request;
  readonly lifetimeMs: number | undefined;
}

function askedOf({ order, request, lifetime }: ReserveRequest, maxLifetimeMs: number): Asked {
  const lifetimeMs = lifetime === undefined ? undefined : durationMs(lifetime);
  if (lifetimeMs !== undefined && !(lifetimeMs >= minLifetimeMs)) {
    const description = `must be at least ${formatDuration(minLifetimeMs)}; leave it out for the longest that there is`;
    throw invalidFields([{ field: 'lifetime', description }]);
  }
  if (lifetimeMs !== undefined && lifetimeMs > maxLifetimeMs) {
    const description = `is ${formatDuration(lifetimeMs)}; cluster-pending-lifetime allows at most ${formatDuration(maxLifetimeMs)}: ask for less, or leave it out`;
    throw invalidFields([{ field: 'lifetime', description }]);
  }
  return { order: orderOf(order), request: requestOf(request), lifetimeMs };
}

async function reserve(
  { book, clock, onDecision }: ReservationServiceOptions,
  reserver: Reserver,
  { order, request, lifetimeMs }: Asked,
  { signal }: CallContext,
): Promise<MessageInitShape<typeof ReserveResponseSchema>> {
  const startedAt = clock.monotonic();
  const reserved: Reserved = await reserver.reserve({ order, owner: order.owner, request, lifetimeMs }, signal);
  onDecision?.(reserved.kind === 'reserved' ? 'reserved' : reserved.why, clock.monotonic() - startedAt);
  return reserved.kind === 'reserved'
    ? { outcome: { case: 'reservation', value: reservationMessage(reserved.reservation, book) } }
    : { outcome: { case: 'refusal', value: refusalMessage(reserved, generationMessage(book.knowledge.generation)) } };
}

function fitOutcome(decision: Decision, { knowledge }: ReservationBook) {
  const generation = generationMessage(knowledge.generation);
  return decision.kind === 'plan'
    ? ({ case: 'plan', value: planMessage(decision.plan, generation) } as const)
    : ({ case: 'refusal', value: refusalMessage(decision, generation) } as const);
}

const namedNodes = { standard: 10, most: 1000 } as const;

/** Makes the answer. What is wrong with the question is told before. */
function explanation(
  message: ExplainFitRequest,
  { book, decide, placing }: ReservationServiceOptions,
): () => MessageInitShape<typeof ExplainFitResponseSchema> {
  const { namedNodes: named } = message;
  if (named < 0 || named > namedNodes.most) {
    const description = `is ${named}; it must be between 1 and ${namedNodes.most}, or 0 for ${namedNodes.standard}`;
    throw invalidFields([{ field: 'named_nodes', description }]);
  }
  const request = requestOf(message.request);
  const owner = ownerOf(message.owner);
  const options = { ...placing, decide, owner, namedNodes: named === 0 ? namedNodes.standard : named };
  return () => {
    const { decision, nodes, changes } = explainFit(book, request, options);
    const outcome = fitOutcome(decision, book);
    const nodeGroups = nodes.map(nodeGroupMessage);
    if (outcome.case !== 'refusal') return { outcome, nodeGroups };
    const nearestChanges = changes
      .map((change) => changeMessage(change, request, (name) => book.reservation(name)))
      .filter((change) => change !== undefined);
    return { outcome: { case: 'refusal', value: { ...outcome.value, nearestChanges } }, nodeGroups };
  };
}
