/**
 * A small list/watch server for the benchmark: lists of pods, paged or whole, and a watch that sends one MODIFIED event per
 * pod once `POST /go` asks for it. Everything is serialised before the first request, so that the client is what is measured.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { samplePod } from './sample-pod.ts';

const count = Number(process.argv[2] ?? 50_000);
const listVersion = 1_000_000;
const watchers = new Set<ServerResponse>();

/** Texts in one piece of memory, so that any run of them can be sent without copying. */
function layOut(texts: Iterable<string>): { readonly bytes: Buffer; readonly starts: readonly number[] } {
  const parts: Buffer[] = [];
  const starts: number[] = [];
  let size = 0;
  for (const text of texts) {
    const part = Buffer.from(text);
    starts.push(size);
    parts.push(part);
    size += part.length;
  }
  return { bytes: Buffer.concat(parts, size), starts: [...starts, size] };
}

function* podTexts(): Generator<string> {
  for (let index = 0; index < count; index += 1) yield `${JSON.stringify(samplePod(index, index + 1))},`;
}

function* eventTexts(): Generator<string> {
  for (let index = 0; index < count; index += 1) {
    const object = { kind: 'Pod', apiVersion: 'v1', ...samplePod(index, listVersion + index + 1) };
    yield `${JSON.stringify({ type: 'MODIFIED', object })}\n`;
  }
}

const pods = layOut(podTexts());
const events = layOut(eventTexts());

function sendList(response: ServerResponse, query: URLSearchParams): void {
  const start = Number(query.get('continue') ?? 0);
  const limit = Number(query.get('limit') ?? 0) || count;
  const end = Math.min(start + limit, count);
  const metadata = {
    resourceVersion: String(listVersion),
    ...(end < count ? { continue: String(end), remainingItemCount: count - end } : {}),
  };
  // Without the comma after the last item.
  const items = pods.bytes.subarray(pods.starts[start], (pods.starts[end] ?? 0) - 1);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write(`{"kind":"PodList","apiVersion":"v1","metadata":${JSON.stringify(metadata)},"items":[`);
  response.write(items);
  response.end(']}');
}

/** Writes events in large pieces and waits whenever the client is behind. */
async function sendEvents(response: ServerResponse): Promise<void> {
  const perWrite = 200;
  for (let start = 0; start < count; start += perWrite) {
    const piece = events.bytes.subarray(events.starts[start], events.starts[Math.min(start + perWrite, count)]);
    if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
  }
}

// Enough in flight that the client never waits for the server.
const server = createServer({ highWaterMark: 4 << 20 }, (request, response) => {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  if (request.method === 'POST' && url.pathname === '/go') {
    const open = [...watchers];
    response.writeHead(open.length > 0 ? 200 : 409).end();
    for (const watcher of open) void sendEvents(watcher);
  } else if (url.searchParams.get('watch') === 'true') {
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    watchers.add(response);
    response.on('close', () => watchers.delete(response));
  } else {
    sendList(response, url.searchParams);
  }
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit(0));
