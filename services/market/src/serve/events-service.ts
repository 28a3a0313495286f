import { type Event, EventSchema, Events, EventsWatchResponseSchema, EventType } from '@quartermaster/api/market';
import { privateWatch, type WatchAnswer } from '@quartermaster/objects';
import { type ServedService, serve, sharedAnswer } from '@quartermaster/rpc';

type WatchOptions = Omit<Parameters<typeof privateWatch>[0], 'contract'>;

/** What changes, for whoever sees it. */
export function eventsService(options: WatchOptions): ServedService {
  const contract = {
    event: EventSchema,
    types: { created: EventType.OBJECT_CREATED, updated: EventType.OBJECT_UPDATED, deleted: EventType.OBJECT_DELETED },
    answer: ({ event, token }: WatchAnswer<Event>) =>
      sharedAnswer(EventsWatchResponseSchema, event === undefined ? { token, bookmark: true } : { event, token }),
  };
  return serve(Events, { watch: privateWatch({ ...options, contract }) });
}
