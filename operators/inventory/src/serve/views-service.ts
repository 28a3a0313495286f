import type { JsonObject, MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import { type CapacityDivisionSchema, InventoryViewsService, type WatchViewsResponseSchema } from '@quartermaster/api/inventory';
import type { DivisionTuple, StreamMessage, TrendSample } from '@quartermaster/api/inventory-views';
import { type Clock, StatusError, systemClock } from '@quartermaster/kernel';
import { type CallContext, type ServedService, serve } from '@quartermaster/rpc';
import type { InventoryViews } from '../views/inventory-views.ts';
import type { ViewFeed } from '../views/view-feed.ts';
import { watchViews } from '../views/watch-views.ts';

export interface ViewsServiceOptions {
  readonly views: Pick<InventoryViews, 'search' | 'history'>;
  readonly viewFeed: Pick<ViewFeed, 'read' | 'subscribe'>;
  readonly clock?: Clock | undefined;
}

/** More than any page follows at once. */
const mostViews = 16;
const defaultHits = 12;
const mostHits = 100;

/** The inventory as people look at it: quartermaster.inventory.v1.InventoryViewsService. */
export function viewsService({ views, viewFeed, clock = systemClock }: ViewsServiceOptions): ServedService {
  const sentAt = () => timestampFromMs(clock.now());
  return serve(InventoryViewsService, {
    getView: ({ view }, { transport }) => {
      const state = viewFeed.read(view);
      return state === undefined ? { sentAt: sentAt() } : { sentAt: sentAt(), state: jsonOf(state, transport) };
    },
    async *watchViews(request, { signal, transport }) {
      const { length } = request.views;
      if (length === 0 || length > mostViews) {
        throw new StatusError('invalid_argument', `views has ${length} addresses: name 1 to ${mostViews} views`);
      }
      for await (const message of watchViews(viewFeed, request.views, signal)) yield watchMessage(message, transport);
    },
    search: ({ query, pageSize }) => {
      if (pageSize < 0 || pageSize > mostHits) {
        throw new StatusError('invalid_argument', `page_size ${pageSize} must be between 1 and ${mostHits}, or 0 for ${defaultHits}`);
      }
      const { hits, searched } = views.search(query, pageSize === 0 ? defaultHits : pageSize);
      return { hits: [...hits], searched: [...searched] };
    },
    getHistory: ({ since }) => ({
      sentAt: sentAt(),
      samples: views.history(since === undefined ? 0 : timestampMs(since)).map(sampleMessage),
    }),
  });
}

function watchMessage(message: StreamMessage, transport: CallContext['transport']): MessageInitShape<typeof WatchViewsResponseSchema> {
  const sentAt = timestampFromMs(message.sentAt);
  switch (message.kind) {
    case 'alive':
      return { sentAt };
    case 'patch':
      return { sentAt, view: message.topic, change: { case: 'patch', value: jsonOf(message.patch, transport) } };
    case 'state': {
      const { topic: view, state } = message;
      return {
        sentAt,
        view,
        change: state === null ? { case: 'unknown', value: true } : { case: 'state', value: jsonOf(state, transport) },
      };
    }
  }
}

/** States and patches are JSON but for fields that are undefined. A JSON writer leaves those out; in a protobuf Struct they would become null. */
const jsonOf = (value: object, transport: CallContext['transport']): JsonObject =>
  (transport === 'rest' ? value : JSON.parse(JSON.stringify(value))) as JsonObject;

function sampleMessage({ at, gpu, cpu, memory }: TrendSample) {
  return { at: timestampFromMs(at), ...division('gpu', gpu), ...division('cpu', cpu), ...division('memory', memory) };
}

function division<K extends string>(field: K, divided: DivisionTuple | undefined) {
  if (divided === undefined) return {};
  const [allocated, sellable, heldBack, unknown] = divided.map(BigInt);
  return { [field]: { allocated, sellable, heldBack, unknown } } as Record<K, MessageInitShape<typeof CapacityDivisionSchema>>;
}
