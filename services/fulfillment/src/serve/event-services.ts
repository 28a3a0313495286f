import * as pub from '@quartermaster/api/fulfillment';
import * as priv from '@quartermaster/api/private';
import type { Clock } from '@quartermaster/kernel';
import { privateWatch, publicWatch, type WatchAnswer } from '@quartermaster/objects';
import { type ServedService, serve, sharedAnswer } from '@quartermaster/rpc';
import type { ChangeFeed } from '@quartermaster/store';
import type { Kinds } from '../kinds/kinds.ts';

export interface EventServicesOptions {
  readonly changes: Pick<ChangeFeed, 'read'>;
  readonly kinds: Kinds;
  readonly clock: Clock;
}

/** What changes, in the private form and in the public one. */
export function eventServices(options: EventServicesOptions): readonly ServedService[] {
  const privateContract = {
    event: priv.EventSchema,
    types: {
      created: priv.EventType.OBJECT_CREATED,
      updated: priv.EventType.OBJECT_UPDATED,
      deleted: priv.EventType.OBJECT_DELETED,
      signaled: priv.EventType.OBJECT_SIGNALED,
    },
    answer: ({ event, token }: WatchAnswer<priv.Event>) =>
      sharedAnswer(priv.EventsWatchResponseSchema, event === undefined ? { token, bookmark: true } : { event, token }),
  };
  const publicContract = {
    event: pub.EventSchema,
    types: {
      created: pub.EventType.OBJECT_CREATED,
      updated: pub.EventType.OBJECT_UPDATED,
      deleted: pub.EventType.OBJECT_DELETED,
    },
    answer: ({ event, token }: WatchAnswer<pub.Event>) =>
      sharedAnswer(pub.EventsWatchResponseSchema, event === undefined ? { token, bookmark: true } : { event, token }),
  };
  return [
    serve(priv.Events, { watch: privateWatch({ ...options, contract: privateContract }) }),
    serve(pub.Events, { watch: publicWatch({ ...options, contract: publicContract }) }),
  ];
}
