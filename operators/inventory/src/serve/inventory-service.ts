import type { MessageInitShape } from '@bufbuild/protobuf';
import { durationMs, timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  type AllocationSchema,
  type ExplainRequest,
  type GetStatusResponseSchema,
  InventoryService,
  type ListAllocationsRequest,
  PartState,
  type WatchInventoryRequest,
  WatchInventoryResponseSchema,
} from '@quartermaster/api/inventory';
import { type Clock, StatusError, systemClock } from '@quartermaster/kernel';
import { type CallContext, type ServedService, serve, sharedAnswer } from '@quartermaster/rpc';
import { type AllocationFilter, type AllocationPage, allocationKey } from '../ledger/allocations.ts';
import type { Allocation, Completeness, Generation } from '../model/snapshot.ts';
import { timestamp } from '../publish/amount-message.ts';
import { type FeedEvent, type InventoryFeed, snapshotOf } from '../publish/inventory-feed.ts';
import { completenessMessage, deltaMessage, generationMessage, type MessageForm, snapshotMessage } from '../publish/snapshot-message.ts';
import { explainClass } from './explain/explain-class.ts';
import { explainGpu } from './explain/explain-gpu.ts';
import { explainNode } from './explain/explain-node.ts';
import { explanationMessage } from './explain/explanation.ts';

/** How the operator is. */
export interface OperatorStatus {
  readonly version: string;
  readonly replica: string;
  readonly isLeader: boolean;
  /** Empty when nobody is known to lead. */
  readonly leader: string;
  readonly startedAt: number;
  readonly completeness: Completeness;
  readonly parts: readonly {
    readonly name: string;
    readonly state: 'ok' | 'degraded' | 'failed';
    readonly message: string;
    readonly since?: number | undefined;
  }[];
  /** name -> count since the start */
  readonly counters: ReadonlyMap<string, number>;
}

export interface InventoryServiceOptions {
  readonly feed: InventoryFeed;
  /** Pods that hold something and for which everything in the filter is true, in order of their keys. */
  readonly allocations: (filter: AllocationFilter, page: AllocationPage) => readonly Allocation[];
  readonly status: () => OperatorStatus;
  readonly clock?: Clock | undefined;
}

type WatchAnswer = MessageInitShape<typeof WatchInventoryResponseSchema>;

const defaultHeartbeatMs = 15_000;
const minHeartbeatMs = 1_000;
const defaultPageSize = 1000;
const maxPageSize = 5000;
const partStates = { ok: PartState.OK, degraded: PartState.DEGRADED, failed: PartState.FAILED } as const;

/** quartermaster.inventory.v1. */
export function inventoryService(options: InventoryServiceOptions): ServedService {
  const { feed, allocations, status, clock = systemClock } = options;
  const answers = watchAnswers();
  return serve(InventoryService, {
    getSnapshot: (_request, context) => ({ snapshot: snapshotMessage(snapshotOf(feed), formOf(context)) }),
    watchInventory: (request, context) => watch(feed, clock, answers, request, context),
    listAllocations: (request) => pageOf(request, allocations),
    getStatus: () => statusMessage(feed, status()),
    explain: (request) => explanationMessage(explain(feed, request)),
  });
}

async function* watch(
  feed: InventoryFeed,
  clock: Clock,
  answers: ReturnType<typeof watchAnswers>,
  request: WatchInventoryRequest,
  context: CallContext,
): AsyncGenerator<WatchAnswer, void, undefined> {
  const askedMs = request.heartbeatInterval === undefined ? defaultHeartbeatMs : durationMs(request.heartbeatInterval);
  const heartbeatMs = Math.max(askedMs, minHeartbeatMs);
  snapshotOf(feed);
  const ended = new AbortController();
  const events = feed.subscribe(positionOf(request), AbortSignal.any([context.signal, ended.signal]));
  try {
    for (let next = events.next(); ; ) {
      const event = await within(clock, heartbeatMs, next);
      if (event === undefined) {
        yield heartbeat(feed, clock);
        continue;
      }
      if (event.done === true) return;
      yield answers(event.value, formOf(context));
      next = events.next();
    }
  } finally {
    ended.abort();
    await events.return();
  }
}

/** What the promise gives, or undefined when that takes longer. */
async function within<T>(clock: Clock, afterMs: number, promise: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const cancel = clock.schedule(afterMs, () => late.resolve(undefined));
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    cancel();
  }
}

function heartbeat(feed: InventoryFeed, clock: Clock): WatchAnswer {
  const { generation, completeness } = snapshotOf(feed);
  return {
    event: {
      case: 'heartbeat',
      value: {
        generation: generationMessage(generation),
        sentAt: timestampFromMs(clock.now()),
        completeness: completenessMessage(completeness),
      },
    },
  };
}

/** What readers get of events. Those that get the same event share its bytes. */
function watchAnswers(): (event: FeedEvent, form: MessageForm) => WatchAnswer {
  const packed = new WeakMap<FeedEvent, WatchAnswer>();
  return (event, form) => {
    if (form === 'open') return watchAnswer(event, form);
    const answer = packed.get(event) ?? sharedAnswer(WatchInventoryResponseSchema, watchAnswer(event, form));
    packed.set(event, answer);
    return answer;
  };
}

function watchAnswer(event: FeedEvent, form: MessageForm): WatchAnswer {
  if (event.kind === 'snapshot') return { event: { case: 'snapshot', value: snapshotMessage(event.snapshot, form) } };
  return { event: { case: 'delta', value: deltaMessage(event.delta, form) } };
}

/** gRPC writes messages as they are; REST makes JSON of what is in them. */
const formOf = ({ transport }: CallContext): MessageForm => (transport === 'grpc' ? 'packed' : 'open');

function positionOf({ resumeFrom }: WatchInventoryRequest): Generation | undefined {
  return resumeFrom === undefined ? undefined : { epoch: resumeFrom.epoch, sequence: Number(resumeFrom.sequence) };
}

function filterOf({ node, namespace, leaseLabel, device }: ListAllocationsRequest): AllocationFilter {
  const [key = '', ...rest] = leaseLabel.split('=');
  if (leaseLabel !== '' && key === '') {
    throw new StatusError('invalid_argument', `lease_label "${leaseLabel}" must be key=value, or key for any value`);
  }
  const value = rest.length === 0 ? undefined : rest.join('=');
  return {
    node: node || undefined,
    namespace: namespace || undefined,
    leaseLabel: key === '' ? undefined : { key, value },
    device: device || undefined,
  };
}

/** A token is where the page before ended, so that pods that come and go move nothing. */
function pageOf(request: ListAllocationsRequest, allocations: InventoryServiceOptions['allocations']) {
  const { pageSize, pageToken } = request;
  if (pageSize < 0 || pageSize > maxPageSize) {
    throw new StatusError('invalid_argument', `page_size ${pageSize} must be between 1 and ${maxPageSize}, or 0 for ${defaultPageSize}`);
  }
  const size = pageSize === 0 ? defaultPageSize : pageSize;
  const found = allocations(filterOf(request), { after: pageToken, limit: size + 1 });
  const shown = found.slice(0, size);
  const last = shown.at(-1);
  return {
    allocations: shown.map(allocationMessage),
    nextPageToken: found.length > size && last !== undefined ? allocationKey(last) : '',
  };
}

function allocationMessage(allocation: Allocation): MessageInitShape<typeof AllocationSchema> {
  return {
    podUid: allocation.podUid,
    namespace: allocation.namespace,
    pod: allocation.pod,
    node: allocation.node,
    leaseLabels: { ...allocation.leaseLabels },
    cpuMillis: BigInt(allocation.cpuMillis),
    memoryBytes: BigInt(allocation.memoryBytes),
    ramBytes: BigInt(allocation.ramBytes),
    ephemeralStorageBytes: BigInt(allocation.ephemeralStorageBytes),
    extended: Object.fromEntries([...allocation.extended].map(([name, pieces]) => [name, BigInt(pieces)])),
    devices: [...allocation.devices],
  };
}

function statusMessage(feed: InventoryFeed, status: OperatorStatus): MessageInitShape<typeof GetStatusResponseSchema> {
  const generation = feed.state()?.generation;
  return {
    clusterId: feed.clusterId,
    version: status.version,
    replica: status.replica,
    isLeader: status.isLeader,
    leader: status.leader,
    startedAt: timestamp(status.startedAt),
    generation: generation === undefined ? undefined : generationMessage(generation),
    completeness: completenessMessage(status.completeness),
    parts: status.parts.map(({ name, state, message, since }) => ({ name, state: partStates[state], message, since: timestamp(since) })),
    counters: Object.fromEntries([...status.counters].map(([name, value]) => [name, BigInt(value)])),
    subscribers: feed.subscribers,
  };
}

function explain(feed: InventoryFeed, { subject }: ExplainRequest) {
  const snapshot = snapshotOf(feed);
  switch (subject.case) {
    case 'node':
      return explainNode(snapshot, subject.value);
    case 'storageClass':
      return explainClass(snapshot, subject.value);
    case 'gpu':
      return explainGpu(snapshot, subject.value);
    default:
      throw new StatusError('invalid_argument', 'subject is missing: give node, storage_class or gpu');
  }
}
