import { ApiError } from './api-error.ts';
import { errorOf, requestApi } from './call-api.ts';
import type { OpenWatch, WatchMessage } from './event-feed.ts';

/** The API's watch as server-sent events, read by hand: the browser's own reader hides refusals and signs of life. */
export const openWatch =
  (path: string): OpenWatch =>
  (token, on) => {
    const ending = new AbortController();
    const run = async (): Promise<void> => {
      const answer = await requestApi(path, { query: { token, bookmarks: 'true' }, signal: ending.signal, accept: 'text/event-stream' });
      on.sound();
      for await (const block of blocksOf(answer)) {
        const { event, data } = fieldsOf(block);
        if (data === undefined) on.sound();
        else if (event === 'error') throw errorOf(JSON.parse(data));
        else on.message(JSON.parse(data) as WatchMessage);
      }
      throw new ApiError('unavailable', 'the event stream ended');
    };
    run().catch((thrown: unknown) => {
      if (!ending.signal.aborted) on.failed(ApiError.from(thrown));
    });
    return () => ending.abort();
  };

async function* blocksOf(answer: Response): AsyncGenerator<string, void, undefined> {
  if (answer.body === null) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const blocks = (text + read.value).split('\n\n');
    text = blocks.pop() ?? '';
    yield* blocks;
  }
}

function fieldsOf(block: string): { readonly event: string | undefined; readonly data: string | undefined } {
  const lines = block.split('\n');
  const value = (name: string): string | undefined => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  return { event: value('event'), data: value('data') };
}
