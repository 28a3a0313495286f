import { ApiError } from './api-error.ts';
import { requestApi } from './call-api.ts';
import type { OpenWatch, WatchMessage } from './event-feed.ts';
import { serverSentEvents } from './server-sent-events.ts';

/** The API's watch as server-sent events. */
export const openWatch =
  (path: string, query: Readonly<Record<string, string>> = { bookmarks: 'true' }): OpenWatch =>
  (token, on) => {
    const ending = new AbortController();
    const run = async (): Promise<void> => {
      const answer = await requestApi(path, { query: { token, ...query }, signal: ending.signal, accept: 'text/event-stream' });
      on.sound();
      for await (const data of serverSentEvents(answer)) {
        if (data === undefined) on.sound();
        else on.message(JSON.parse(data) as WatchMessage);
      }
      throw new ApiError('unavailable', 'the event stream ended');
    };
    run().catch((thrown: unknown) => {
      if (!ending.signal.aborted) on.failed(ApiError.from(thrown));
    });
    return () => ending.abort();
  };
