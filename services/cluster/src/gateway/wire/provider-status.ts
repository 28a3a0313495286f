import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { NodeSchema, ResourcePairSchema } from '@quartermaster/api/akash-inventory';
import type { ReservationsMetricSchema, StatusSchema } from '@quartermaster/api/akash-provider';
import { formatQuantity, quantityFromMillis, quantityFromWhole } from '@quartermaster/kernel';
import type { BidDecision } from '../../bids/bid-decision.ts';
import type { ReservationBook } from '../../book/reservation-book.ts';
import type { ReservationTotals } from '../../book/reservation-totals.ts';
import type { LeaseRecord } from '../../known-leases/lease-record.ts';
import type { CardGroup } from '../../placement/stock-facts.ts';
import { type NodeShares, providerFigures, type Share } from './provider-figures.ts';

/* What everybody may know of this provider, in the two forms that the ecosystem's clients read. Both are made of the same figures. */

export interface KnownProvider {
  readonly book: ReservationBook;
  readonly leases: readonly Pick<LeaseRecord, 'lease' | 'state' | 'manifestHash'>[];
  readonly decisions: readonly Pick<BidDecision, 'phase'>[];
  /** The account of this provider; empty: none is known. */
  readonly address: string;
  /** `cluster-public-hostname`. */
  readonly publicHost: string;
  /** What strangers are told that is wrong, beside what the book says. */
  readonly errors: readonly string[];
  /** What a node is called. */
  readonly nodeName: (name: string) => string;
  /** Wall clock, milliseconds. */
  readonly now: number;
}

interface ResourcesBody {
  readonly cpu: number;
  readonly gpu: number;
  readonly memory: number;
  readonly storage_ephemeral: number;
}

type ReservedBody = ResourcesBody & { readonly storage: Readonly<Record<string, number>> };

/** CPU in millicores, the rest in bytes and pieces. */
export interface ProviderStatusBody {
  readonly cluster: {
    readonly leases: number;
    readonly inventory: {
      /** All of them together, as one: how large somebody's lease is concerns nobody else. */
      readonly active: readonly ReservedBody[];
      readonly pending: readonly ReservedBody[];
      readonly available: {
        readonly nodes: readonly { readonly name: string; readonly allocatable: ResourcesBody; readonly available: ResourcesBody }[];
        readonly storage: readonly { readonly class: string; readonly size: number }[];
      };
      readonly error?: string;
    };
  };
  readonly bidengine: { readonly orders: number };
  readonly manifest: { readonly deployments: number };
  readonly cluster_public_hostname: string;
  readonly address: string;
}

export function providerStatusBody(known: KnownProvider): ProviderStatusBody {
  const { cluster, pending, active } = providerFigures(known.book, known.nodeName);
  const errors = errorsOf(known);
  return {
    cluster: {
      leases: activeLeases(known).length,
      inventory: {
        active: reservedBody(active),
        pending: reservedBody(pending),
        available: {
          nodes: (cluster?.nodes ?? []).map((node) => ({
            name: node.name,
            allocatable: resourcesBody(node, 'allocatable'),
            available: resourcesBody(node, 'available'),
          })),
          storage: (cluster?.classes ?? []).map(({ name, bytes }) => ({ class: name, size: bytes.available })),
        },
        ...(errors.length > 0 && { error: errors.join('; ') }),
      },
    },
    bidengine: { orders: ordersOf(known) },
    manifest: { deployments: deploymentsOf(known) },
    cluster_public_hostname: known.publicHost,
    address: known.address,
  };
}

export function providerStatusMessage(known: KnownProvider): MessageInitShape<typeof StatusSchema> {
  const { cluster, pending, active } = providerFigures(known.book, known.nodeName);
  return {
    errors: errorsOf(known),
    cluster: {
      leases: { active: activeLeases(known).length },
      inventory: {
        cluster: cluster && {
          nodes: cluster.nodes.map(nodeMessage),
          storage: cluster.classes.map(({ name, bytes: space }) => ({ quantity: pair(space, bytes), info: { class: name } })),
        },
        reservations: { pending: reservedMessage(pending), active: reservedMessage(active) },
        leasedIp: cluster?.ips && pair(cluster.ips, count),
      },
    },
    bidEngine: { orders: ordersOf(known) },
    manifest: { deployments: deploymentsOf(known) },
    publicHostnames: known.publicHost === '' ? [] : [known.publicHost],
    timestamp: timestampFromMs(known.now),
  };
}

/** What the inventory says of itself names machines. */
const errorsOf = ({ book, errors }: KnownProvider): string[] => [
  ...(book.knowledge.problem === undefined ? [] : ['the inventory of the cluster is not up to date: nothing new is promised until it is']),
  ...errors,
];

const activeLeases = ({ leases }: KnownProvider) => leases.filter(({ state }) => state !== 'Complete');

const deploymentsOf = (known: KnownProvider): number =>
  new Set(
    activeLeases(known).flatMap(({ lease: { owner, dseq }, manifestHash }) => (manifestHash === undefined ? [] : [`${owner}/${dseq}`])),
  ).size;

/** Those for which something is reserved, and no lease yet. */
const ordersOf = ({ decisions }: KnownProvider): number => decisions.filter(({ phase }) => phase === 'Reserved' || phase === 'Bid').length;

const resourcesBody = ({ cpu, memory, ephemeral, cards }: NodeShares, of: keyof Share): ResourcesBody => ({
  cpu: cpu[of],
  gpu: cards[of],
  memory: memory[of],
  storage_ephemeral: ephemeral[of],
});

const sum = (amounts: ReadonlyMap<string, number>): number => [...amounts.values()].reduce((total, each) => total + each, 0);

function reservedBody({ count: reservations, promised }: ReservationTotals): readonly ReservedBody[] {
  if (reservations === 0) return [];
  const { cpuMillis: cpu, memoryBytes: memory, ephemeralBytes, cards, storage } = promised;
  return [{ cpu, memory, gpu: sum(cards), storage_ephemeral: ephemeralBytes, storage: Object.fromEntries(storage) }];
}

function reservedMessage({ count: reservations, promised }: ReservationTotals): MessageInitShape<typeof ReservationsMetricSchema> {
  return {
    count: reservations,
    resources: {
      cpu: { string: millis(promised.cpuMillis) },
      memory: { string: bytes(promised.memoryBytes) },
      gpu: { string: count(sum(promised.cards)) },
      ephemeralStorage: { string: bytes(promised.ephemeralBytes) },
      storage: Object.fromEntries([...promised.storage].map(([name, amount]) => [name, { string: bytes(amount) }])),
    },
  };
}

/** What its hardware is beside its cards, the cluster service does not know. */
function nodeMessage({ name, cpu, memory, ephemeral, cards, models, storageClasses }: NodeShares): MessageInitShape<typeof NodeSchema> {
  const nothing = pair({ allocatable: 0, available: 0 }, count);
  return {
    name,
    resources: {
      cpu: { quantity: pair(cpu, millis) },
      memory: { quantity: pair(memory, bytes) },
      gpu: { quantity: pair(cards, count), info: models.map(cardMessage) },
      ephemeralStorage: pair(ephemeral, bytes),
      volumesAttached: nothing,
      volumesMounted: nothing,
    },
    capabilities: { storageClasses: [...storageClasses] },
  };
}

const cardMessage = ({ vendor, model, interface: bus, memoryBytes }: CardGroup) => ({
  ...{ vendor, name: model, interface: bus },
  memorySize: memoryBytes === 0 ? '' : bytes(memoryBytes),
});

/** Readers take `allocatable - allocated` as what is free. */
const pair = ({ allocatable, available }: Share, text: (value: number) => string): MessageInitShape<typeof ResourcePairSchema> => ({
  allocatable: { string: text(allocatable) },
  allocated: { string: text(allocatable - available) },
  capacity: { string: text(allocatable) },
});

const millis = (value: number): string => formatQuantity(quantityFromMillis(value));
const bytes = (value: number): string => formatQuantity(quantityFromWhole(value, 'BinarySI'));
const count = (value: number): string => formatQuantity(quantityFromWhole(value));
