import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json as readJson } from 'node:stream/consumers';
import { codeOf, httpStatus, messageOf, StatusError } from '@quartermaster/kernel';
import type { FaultBook } from './fault-book.ts';

/** Where and with which token a running simulation takes orders. The file is readable for its owner alone. */
export interface ControlFile {
  readonly url: string;
  readonly token: string;
}

/** Serves the faults of a simulation on loopback, to whoever can read `file`: GET and POST /faults, DELETE /faults/ID. */
export async function startFaultControl(book: FaultBook, file: string): Promise<{ stop(): Promise<void> }> {
  const token = randomBytes(24).toString('base64url');
  const server = createServer((request, response) => void answer(request, response, book, token));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const content: ControlFile = { url: `http://127.0.0.1:${port}`, token };
  writeFileSync(file, `${JSON.stringify(content)}\n`, { mode: 0o600 });
  return {
    stop: async () => {
      rmSync(file, { force: true });
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, book: FaultBook, token: string): Promise<void> {
  const send = (status: number, body: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(`${JSON.stringify(body)}\n`);
  };
  try {
    authenticate(request, token);
    send(200, await act(request, book));
  } catch (error) {
    send(httpStatus[codeOf(error)], { code: codeOf(error), message: messageOf(error) });
  }
}

function authenticate({ headers }: IncomingMessage, token: string): void {
  const given = Buffer.from(headers.authorization ?? '');
  const wanted = Buffer.from(`Bearer ${token}`);
  if (given.length === wanted.length && timingSafeEqual(given, wanted)) return;
  throw new StatusError('unauthenticated', 'the token is not the one that this simulation wrote: use `quartermaster simulate`');
}

async function act(request: IncomingMessage, book: FaultBook): Promise<unknown> {
  const { method, url = '' } = request;
  if (url === '/faults' && method === 'GET') return { faults: await book.list(), history: await book.history() };
  if (url === '/faults' && method === 'POST') return { id: await book.add(await bodyOf(request)) };
  const id = /^\/faults\/([^/]+)$/.exec(url)?.[1];
  if (id !== undefined && method === 'DELETE') {
    await book.remove(decodeURIComponent(id));
    return {};
  }
  throw new StatusError('not_found', `there is no ${method} ${url}`);
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  try {
    return await readJson(request);
  } catch (cause) {
    throw new StatusError('invalid_argument', 'the body is not JSON', { cause });
  }
}
