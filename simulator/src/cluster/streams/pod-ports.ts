import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import { StatusError } from '@quartermaster/kernel';
import type { PodRun } from '../kubelet/pod-run.ts';

interface Opened {
  readonly run: PodRun;
  readonly container: string;
  readonly port: number;
}

/**
 * What answers on the ports of simulated containers: the program that serves there, or on a port that a container only declares a plain
 * page that says whose it is. There is no network under it; whoever connects gets one end of a stream in memory.
 */
export class PodPorts {
  readonly #opened = new WeakMap<object, Opened>(); // stream -> what it leads to
  readonly #server = createServer((request, response) => this.#answer(request, response));

  /** Throws `unavailable` when no running container declares the port, as a connection that is refused. */
  connect(run: PodRun, port: number): Duplex {
    const container = run.listenerOn(port);
    if (container === undefined) {
      throw new StatusError(
        'unavailable',
        `connection refused: no running container of pod ${run.ref} declares port ${port}; a simulated container answers on its containerPorts only`,
      );
    }
    const [outside, inside] = duplexPair();
    this.#opened.set(inside, { run, container, port });
    outside.on('error', () => inside.destroy());
    inside.on('error', () => outside.destroy());
    outside.once('close', () => inside.destroy());
    this.#server.emit('connection', inside);
    return outside;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const opened = this.#opened.get(request.socket);
    const answers = opened?.run.answersOn(opened.port);
    if (answers !== undefined) {
      answers(request, response);
      return;
    }
    request.resume();
    if (opened === undefined) {
      response.writeHead(500).end();
      return;
    }
    const { run, container, port } = opened;
    const lines = [
      'A simulated container answers.',
      `pod: ${run.ref}`,
      `node: ${run.nodeName}`,
      `container: ${container}`,
      `port: ${port}`,
      `request: ${request.method} ${request.url}`,
    ];
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', server: 'quartermaster-simulator' });
    response.end(`${lines.join('\n')}\n`);
  }
}
