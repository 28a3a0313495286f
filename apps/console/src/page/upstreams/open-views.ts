import type { AnyPatch, AnyState, StreamMessage } from '@quartermaster/api/inventory-views';
import { requestApi } from '../api/call-api.ts';
import { serverSentEvents } from '../api/server-sent-events.ts';
import type { OpenStream } from '../live/live-store.ts';

const viewsPath = '/api/inventory/v1/views:watch';

/** What the inventory sends: WatchViewsResponse as JSON. */
interface WatchedViews {
  readonly sentAt: string;
  /** Absent when it is only alive. */
  readonly view?: string | undefined;
  readonly state?: AnyState | undefined;
  readonly patch?: AnyPatch | undefined;
}

/** The inventory's stream of views. */
export const openViews: OpenStream = (addresses, { message, failed }) => {
  const ending = new AbortController();
  const run = async (): Promise<void> => {
    const path = `${viewsPath}?${new URLSearchParams(addresses.map((address) => ['views', address]))}`;
    const answer = await requestApi(path, { signal: ending.signal, accept: 'text/event-stream' });
    for await (const data of serverSentEvents(answer)) {
      if (data !== undefined) message(messageOf(JSON.parse(data) as WatchedViews));
    }
  };
  const end = (): void => {
    if (!ending.signal.aborted) failed();
  };
  run().then(end, end);
  return () => ending.abort();
};

function messageOf({ sentAt: moment, view: topic, state, patch }: WatchedViews): StreamMessage {
  const sentAt = Date.parse(moment);
  if (topic === undefined || topic === '') return { kind: 'alive', sentAt };
  if (patch !== undefined) return { kind: 'patch', sentAt, topic, patch };
  return { kind: 'state', sentAt, topic, state: state ?? null };
}
