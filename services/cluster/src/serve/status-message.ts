import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  type AvailabilitySchema,
  type GetStatusResponseSchema,
  type InventoryKnowledgeSchema,
  InventoryProtocol,
  type LeaseAllocationSchema,
  type ReservableAmountSchema,
  type ReservationTotalsSchema,
} from '@quartermaster/api/cluster';
import { type Availability, availability } from '../book/availability.ts';
import type { ReservableAmount } from '../book/reservable-amount.ts';
import type { BookEntry, ReservationBook } from '../book/reservation-book.ts';
import { amountsOf, leasesOf, type ReservationTotals, totalsOf } from '../book/reservation-totals.ts';
import type { InventoryKnowledge } from '../model/knowledge.ts';
import { momentMessage } from './moment-message.ts';
import { compareOrders } from './page-of.ts';
import { generationMessage, groupMessage } from './plan-message.ts';
import { orderMessage } from './request-message.ts';
import { resourcesMessage } from './reservation-message.ts';

/** What a replica says of itself. */
export interface ReplicaStatus {
  /** Undefined while nobody has said it. */
  readonly clusterId?: string | undefined;
  readonly version: string;
  readonly replica: string;
  readonly isLeader: boolean;
  /** Empty when nobody is known to lead. */
  readonly leader: string;
  readonly term: number;
  readonly startedAt: number;
}

const maxLeases = 1000;

export function statusMessage(replica: ReplicaStatus, book: ReservationBook): MessageInitShape<typeof GetStatusResponseSchema> {
  const leases = leasesOf(book).toSorted((a, b) => compareOrders(a.reservation.order, b.reservation.order));
  return {
    clusterId: replica.clusterId ?? '',
    version: replica.version,
    replica: replica.replica,
    isLeader: replica.isLeader,
    leader: replica.leader,
    term: BigInt(replica.term),
    startedAt: momentMessage(replica.startedAt),
    inventory: knowledgeMessage(book.knowledge),
    availability: book.knowledge.protocol === 'unknown' ? undefined : availabilityMessage(availability(book), book),
    pending: totalsMessage(totalsOf(book, 'pending')),
    active: totalsMessage(totalsOf(book, 'active')),
    leases: leases.slice(0, maxLeases).map(leaseMessage),
    leaseCount: BigInt(leases.length),
    overCommitted: BigInt(book.places.overCommitted.length),
  };
}

const protocols = {
  deltas: InventoryProtocol.DELTAS,
  snapshots: InventoryProtocol.SNAPSHOTS,
  unknown: InventoryProtocol.UNSPECIFIED,
} as const;

function knowledgeMessage(knowledge: InventoryKnowledge): MessageInitShape<typeof InventoryKnowledgeSchema> {
  const { generation, observedAt, lastContactAt, problem, protocol } = knowledge;
  return {
    generation: generationMessage(generation),
    observedAt: momentMessage(observedAt),
    lastContactAt: momentMessage(lastContactAt),
    fresh: problem === undefined,
    reason: problem && { ...problem },
    protocol: protocols[protocol],
  };
}

function availabilityMessage(reservable: Availability, { ipPool }: ReservationBook): MessageInitShape<typeof AvailabilitySchema> {
  const { cpu, memory, ephemeralStorage, cards, storage, ports, ips } = reservable;
  return {
    cpu: amountMessage(cpu),
    memory: amountMessage(memory),
    ephemeralStorage: amountMessage(ephemeralStorage),
    gpus: cards.map(({ group, amount }) => ({ group: groupMessage(group), amount: amountMessage(amount) })),
    storage: storage.map(({ storageClass, performance, amount, refusal }) => ({
      storageClass,
      performance,
      amount: amount && amountMessage(amount),
      refusal: refusal && { ...refusal },
    })),
    ports: ports && amountMessage(ports),
    leasedIps: {
      amount: ips && amountMessage(ips),
      observedAt: momentMessage(ipPool?.observedAt),
      refusal: ips === undefined ? { code: 'IpCapacityUnknown', message: 'nobody says now how many addresses are free' } : undefined,
    },
  };
}

function amountMessage(amount: ReservableAmount): MessageInitShape<typeof ReservableAmountSchema> {
  const { allocatable, allocated, pending, active, available, overcommitted, headroom } = amount;
  return {
    allocatable: BigInt(allocatable),
    allocated: BigInt(allocated),
    pending: BigInt(pending),
    active: BigInt(active),
    available: BigInt(available),
    overcommitted: BigInt(overcommitted),
    headroom: BigInt(headroom),
  };
}

function totalsMessage({ count, promised, allocated, held }: ReservationTotals): MessageInitShape<typeof ReservationTotalsSchema> {
  return {
    count: BigInt(count),
    promised: resourcesMessage(promised),
    allocated: resourcesMessage(allocated),
    held: resourcesMessage(held),
  };
}

function leaseMessage(entry: BookEntry): MessageInitShape<typeof LeaseAllocationSchema> {
  const { order, owner, leaseNamespace } = entry.reservation;
  const { allocated, held } = amountsOf(entry);
  return {
    order: orderMessage(order),
    owner,
    leaseNamespace: leaseNamespace && { ...leaseNamespace },
    pods: BigInt(entry.use.pods.length),
    allocated: resourcesMessage(allocated),
    held: resourcesMessage(held),
  };
}
