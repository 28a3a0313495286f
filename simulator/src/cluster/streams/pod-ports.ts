import { createServer } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import { StatusError } from '@quartermaster/kernel';
import type { PodRun } from '../kubelet/pod-run.ts';

/** Leads to the programs of simulated containers that serve. There is no network under it: whoever connects gets one end of a stream in memory. */
export class PodPorts {
  readonly #opened = new WeakMap<object, { readonly run: PodRun; readonly port: number }>(); // stream of HTTP -> what it leads to
  readonly #http = createServer((request, response) => {
    const opened = this.#opened.get(request.socket);
    const listener = opened?.run.listenerOn(opened.port);
    if (typeof listener === 'function') listener(request, response);
    else response.writeHead(503).end();
  });

  /** Throws `unavailable` when no program of the pod serves on the port, as a connection that is refused. */
  connect(run: PodRun, port: number): Duplex {
    const listener = run.listenerOn(port);
    if (listener === undefined)
      throw new StatusError('unavailable', `connection refused: no program of pod ${run.ref} serves on port ${port}`);
    const [outside, inside] = duplexPair();
    outside.on('error', () => inside.destroy());
    inside.on('error', () => outside.destroy());
    outside.once('close', () => inside.destroy());
    if (typeof listener === 'object') listener.accept(inside);
    else {
      this.#opened.set(inside, { run, port });
      this.#http.emit('connection', inside);
    }
    return outside;
  }
}
