/**
 * A small list/watch server for the benchmark: lists of pods, paged or whole, and a watch that sends one MODIFIED event per
 * pod once `POST /go` asks for it. Everything is serialised before the first request, so that the client is what is measured.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { samplePod } from './sample-pod.ts';

const count = Number(process.argv[2] ?? 50_000);
const listVersion = 1_000_000;
const pods = Array.from({ length: count }, (_, index) => Buffer.from(JSON.stringify(samplePod(index, index + 1))));
const comma = Buffer.from(',');
const watchers = new Set<ServerResponse>();

function sendList(response: ServerResponse, query: URLSearchParams): void {
  const start = Number(query.get('continue') ?? 0);
  const limit = Number(query.get('limit') ?? 0) || count;
  const end = Math.min(start + limit, count);
  const metadata = {
    resourceVersion: String(listVersion),
    ...(end < count ? { continue: String(end), remainingItemCount: count - end } : {}),
  };
  const parts: Buffer[] = [Buffer.from(`{"kind":"PodList","apiVersion":"v1","metadata":${JSON.stringify(metadata)},"items":[`)];
  for (let index = start; index < end; index += 1) {
    if (index > start) parts.push(comma);
    parts.push(pods[index] ?? comma);
  }
  parts.push(Buffer.from(']}'));
  const body = Buffer.concat(parts);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}

/** Writes events in large pieces and waits whenever the client is behind. */
async function sendEvents(response: ServerResponse): Promise<void> {
  const perWrite = 200;
  for (let start = 0; start < count; start += perWrite) {
    const parts: Buffer[] = [];
    for (let index = start; index < Math.min(start + perWrite, count); index += 1) parts.push(events[index] ?? comma);
    if (!response.write(Buffer.concat(parts))) await new Promise((resolve) => response.once('drain', resolve));
  }
}

const events = Array.from({ length: count }, (_, index) =>
  Buffer.from(
    `${JSON.stringify({ type: 'MODIFIED', object: { kind: 'Pod', apiVersion: 'v1', ...samplePod(index, listVersion + index + 1) } })}\n`,
  ),
);

const server = createServer((request, response) => {
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
