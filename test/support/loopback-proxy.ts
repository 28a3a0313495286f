import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A TCP proxy in front of a server on loopback, for faults between client and server. `forward`: bytes pass. `freeze`: connections
 * stay open and accept bytes, and nothing passes either way, as when a firewall forgets a flow. `refuse`: new connections are
 * closed at once.
 */
export class LoopbackProxy {
  readonly #server: Server;
  #target: { readonly host: string; readonly port: number };
  readonly #pairs = new Set<{ readonly client: Socket; readonly upstream: Socket; frozen: boolean }>();
  #mode: 'forward' | 'freeze' | 'refuse' = 'forward';
  #accepted = 0;

  private constructor(target: string) {
    this.#target = placeOf(target);
    this.#server = createServer((client) => this.#accept(client));
  }

  static async start(target: string): Promise<LoopbackProxy> {
    const proxy = new LoopbackProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Connections taken in so far. */
  get accepted(): number {
    return this.#accepted;
  }

  /** Stops forwarding on every connection there is. New ones are forwarded. */
  freezeOpenConnections(): void {
    for (const pair of this.#pairs) pair.frozen = true;
  }

  set mode(mode: 'forward' | 'freeze' | 'refuse') {
    this.#mode = mode;
  }

  /** Leads new connections to another server, as a balancer does. */
  set target(target: string) {
    this.#target = placeOf(target);
  }

  /** Resets every connection. */
  cut(): void {
    for (const { client, upstream } of this.#pairs) {
      client.resetAndDestroy();
      upstream.destroy();
    }
    this.#pairs.clear();
  }

  async stop(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(client: Socket): void {
    this.#accepted += 1;
    if (this.#mode === 'refuse') {
      client.destroy();
      return;
    }
    const upstream = connect(this.#target);
    const pair = { client, upstream, frozen: this.#mode === 'freeze' };
    this.#pairs.add(pair);
    const pass = (from: Socket, to: Socket): void => {
      from.on('data', (bytes: Buffer) => {
        if (!pair.frozen && !to.write(bytes)) {
          from.pause();
          to.once('drain', () => from.resume());
        }
      });
      from.on('close', () => {
        if (!pair.frozen) to.destroy();
        this.#pairs.delete(pair);
      });
      // A reset by either side is what this proxy is for; the close event follows.
      from.on('error', () => undefined);
    };
    pass(client, upstream);
    pass(upstream, client);
  }
}

function placeOf(target: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(target);
  return { host: hostname, port: Number(port) };
}
