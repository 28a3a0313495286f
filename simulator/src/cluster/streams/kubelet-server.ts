import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Clock, messageOf, StatusError, systemClock } from '@quartermaster/kernel';
import { type LogLine, selectLines } from '../kubelet/container-log.ts';
import type { ImageRegistry } from '../kubelet/image-registry.ts';
import type { Kubelet } from '../kubelet/kubelet.ts';
import type { KubeletEndpoint } from '../node/simulated-node.ts';
import { httpStatusOf, type KubeletPath, parseKubeletPath } from './kubelet-path.ts';
import { KubeletStreams } from './kubelet-streams.ts';

export interface KubeletServerOptions {
  /** PEM. API servers that verify kubelets want it for the address that they use, 127.0.0.1. */
  readonly certificate: string;
  readonly key: string;
  /** PEM of the authority whose client certificates are let in. Without it everybody on this machine is. */
  readonly clientAuthority?: string | undefined;
  /** 0 takes any free one. */
  readonly port?: number | undefined;
  readonly clock?: Clock | undefined;
}

const host = '127.0.0.1';

/** The kubelet API of all simulated nodes, as API servers ask for it: logs, exec, port-forward. Listens on loopback only. */
export class KubeletServer {
  readonly #kubelet: Kubelet;
  readonly #server: Server;
  readonly #streams: KubeletStreams;
  readonly #port: number;
  readonly #clock: Clock;
  #endpoint: KubeletEndpoint | undefined;

  constructor(kubelet: Kubelet, images: ImageRegistry, options: KubeletServerOptions) {
    this.#kubelet = kubelet;
    this.#port = options.port ?? 0;
    this.#clock = options.clock ?? systemClock;
    this.#streams = new KubeletStreams(kubelet, { images, clock: this.#clock });
    const { certificate, key, clientAuthority: ca } = options;
    const isVerified = ca !== undefined;
    this.#server = createServer({ cert: certificate, key, ca, requestCert: isVerified, rejectUnauthorized: isVerified });
    this.#server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      void this.#answer(request, response);
    });
    this.#server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      void this.#streams.upgrade(request, socket, head);
    });
    this.#server.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      void this.#streams.tunnel(request.url ?? '', this.#endpoint, socket, head);
    });
  }

  get endpoint(): KubeletEndpoint | undefined {
    return this.#endpoint;
  }

  /** On the port of its options; where they leave it open, on the preferred one unless somebody has it. */
  async start(preferredPort = 0): Promise<void> {
    try {
      await this.#listen(this.#port === 0 ? preferredPort : this.#port);
    } catch (error) {
      if (this.#port !== 0 || preferredPort === 0) throw error;
      await this.#listen(0);
    }
    this.#endpoint = { host, port: (this.#server.address() as AddressInfo).port };
  }

  async stop(): Promise<void> {
    if (this.#endpoint === undefined) return;
    const closed = once(this.#server, 'close');
    this.#streams.stop();
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #listen(port: number): Promise<void> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const path = parseKubeletPath(request.url ?? '/');
      if (path?.verb === 'containerLogs') await this.#logs(path, response);
      else if (request.url === '/healthz') response.end('ok');
      else throw new StatusError('not_found', `the simulated kubelet does not serve ${request.url ?? ''}`);
    } catch (error) {
      if (!response.headersSent) response.writeHead(httpStatusOf(error), { 'content-type': 'text/plain' });
      response.end(messageOf(error));
    }
  }

  async #logs({ namespace, pod, container, query }: KubeletPath, response: ServerResponse): Promise<void> {
    const run = await this.#kubelet.runOf({ namespace, name: pod });
    const log = run.log(container, { previous: query.get('previous') === 'true' });
    if (log === undefined) throw new StatusError('not_found', `container ${container} of pod ${namespace}/${pod} has no such log`);
    const timestamps = query.get('timestamps') === 'true';
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const write = async ({ wallMs, text }: LogLine): Promise<void> => {
      const isTaken = response.write(`${timestamps ? `${new Date(wallMs).toISOString()} ` : ''}${text}\n`);
      if (!isTaken && !gone.signal.aborted) await once(response, 'drain', { signal: gone.signal }).catch(() => {});
    };
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.flushHeaders();
    const { written } = log;
    for (const line of selectLines(log.lines(), query, this.#clock.now())) await write(line);
    if (query.get('follow') === 'true') for await (const line of log.follow(written, gone.signal)) await write(line);
    response.end();
  }
}
