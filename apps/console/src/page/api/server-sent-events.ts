import { errorOf } from './call-api.ts';

/** What came: the data of an event, or undefined for a sign of life. */
export type ServerSentData = string | undefined;

/** The events of an answer, read by hand: the browser's own reader hides refusals and signs of life. Throws the ApiError that a stream ends with. */
export async function* serverSentEvents(answer: Response): AsyncGenerator<ServerSentData, void, undefined> {
  for await (const block of blocksOf(answer)) {
    const { event, data } = fieldsOf(block);
    if (event === 'error' && data !== undefined) throw errorOf(JSON.parse(data));
    yield data;
  }
}

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
