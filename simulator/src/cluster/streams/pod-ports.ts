import { createServer } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import { StatusError } from '@quartermaster/kernel';
import type { PodRun } from '../kubelet/pod-run.ts';

/** Leads to the programs of simulated containers that serve HTTP. There is no network under it: whoever connects gets one end of a stream in memory. */
export class PodPorts {
  readonly #opened = new WeakMap<object, { readonly run: PodRun; readonly port: number }>(); // stream -> what it leads to
  readonly #server = createServer((request, response) => {
    const opened = this.#opened.get(request.socket);
    const listener = opened?.run.listenerOn(opened.port);
    if (listener === undefined) response.writeHead(503).end();
    else listener(request, response);
  });

  /** Throws `unavailable` when no program of the pod serves on the port, as a connection that is refused. */
  connect(run: PodRun, port: number): Duplex {
    if (run.listenerOn(port) === undefined)
      throw new StatusError('unavailable', `connection refused: no program of pod ${run.ref} serves on port ${port}`);
    const [outside, inside] = duplexPair();
    this.#opened.set(inside, { run, port });
    outside.on('error', () => inside.destroy());
    inside.on('error', () => outside.destroy());
    outside.once('close', () => inside.destroy());
    this.#server.emit('connection', inside);
    return outside;
  }
}
