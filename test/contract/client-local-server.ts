import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KubeClient, KubeTransport, staticCredentials, type TransportOptions } from '@quartermaster/kube';
import { onTestFinished } from 'vitest';

/** A small HTTP server that answers as a test wants, for what no API server does on demand. */
export interface LocalServer {
  readonly url: string;
  /** `METHOD path` of every request whose head arrived. */
  readonly requests: readonly string[];
  readonly connections: number;
}

export type Answer = (response: ServerResponse, request: IncomingMessage, count: number) => void;

/** Runs until the test ends. */
export async function startLocalServer(answer: Answer): Promise<LocalServer> {
  const requests: string[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    answer(response, request, requests.length);
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get connections() {
      return connections;
    },
  };
}

/** A client of such a server, closed when the test ends. */
export function localClient(url: string, options: Omit<TransportOptions, 'credentials'> = {}): KubeClient {
  const client = new KubeClient(new KubeTransport({ ...options, credentials: staticCredentials({ server: url }) }));
  onTestFinished(() => client.close());
  return client;
}

export function answerJson(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** A metav1.Status as an API server words its refusals. */
export function answerStatus(response: ServerResponse, code: number, reason: string, headers: Record<string, string> = {}): void {
  answerJson(response, code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code, message: `${reason}!` }, headers);
}
