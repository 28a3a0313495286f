import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { StatusError, systemRandom } from '@quartermaster/kernel';
import { vi } from 'vitest';
import { debianPackages, findBinary } from '../../scripts/setup/debian.mjs';
import { freePorts } from '../kube/free-ports.ts';
import { SupervisedProcesses } from '../kube/supervised-processes.ts';

const name = 'nats-server';

/** Whether tests on a real server can run here. `npm test` installs it where it may. */
export const hasNatsServer = (): boolean => findBinary(debianPackages.natsServer.probe) !== undefined;

export interface NatsServerFlags {
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
  /** Paths of PEM files. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Without it the server has no JetStream. */
  readonly jetStream?: boolean;
}

/**
 * A NATS server with JetStream on loopback, with its data in a temporary directory. It can be killed and started again on the
 * same port and data, and ends with this process however that ends.
 */
export class NatsServer {
  readonly #processes: SupervisedProcesses;
  readonly #port: number;
  readonly #flags: NatsServerFlags;

  private constructor(processes: SupervisedProcesses, port: number, flags: NatsServerFlags) {
    this.#processes = processes;
    this.#port = port;
    this.#flags = flags;
  }

  static async start(flags: NatsServerFlags = {}): Promise<NatsServer> {
    const [port = 0] = await freePorts(1, systemRandom);
    const server = new NatsServer(await SupervisedProcesses.open(), port, flags);
    try {
      await server.startAgain();
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  get url(): string {
    return `nats://127.0.0.1:${this.#port}`;
  }

  get port(): number {
    return this.#port;
  }

  get directory(): string {
    return this.#processes.directory;
  }

  async startAgain(): Promise<void> {
    const file = findBinary(debianPackages.natsServer.probe);
    if (file === undefined) throw new StatusError('not_found', 'nats-server is not installed: npm test installs it, as root');
    const { user, password, token, tls, jetStream = true } = this.#flags;
    await this.#processes.start(name, file, [
      ...['--addr', '127.0.0.1', '--port', String(this.#port)],
      ...(jetStream ? ['--jetstream', '--store_dir', join(this.directory, 'data')] : []),
      ...(user === undefined ? [] : ['--user', user, '--pass', password ?? '']),
      ...(token === undefined ? [] : ['--auth', token]),
      ...(tls === undefined ? [] : ['--tls', '--tlscert', tls.cert, '--tlskey', tls.key]),
    ]);
    await vi.waitFor(() => this.#answers(), { timeout: 20_000, interval: 20 });
  }

  /** Without a chance to finish anything. */
  async kill(): Promise<void> {
    await this.#processes.kill(name, 'SIGKILL');
  }

  /** Stands still with all its connections open, until `resume`. */
  async pause(): Promise<void> {
    await this.#processes.kill(name, 'SIGSTOP');
  }

  async resume(): Promise<void> {
    await this.#processes.kill(name, 'SIGCONT');
  }

  stop(): Promise<void> {
    return this.#processes.stop();
  }

  async #answers(): Promise<void> {
    if (this.#processes.ending(name) !== undefined) {
      throw new Error(`nats-server ended:\n${readFileSync(join(this.directory, `${name}.log`), 'utf8').slice(-2_000)}`);
    }
    const socket = connect(this.#port, '127.0.0.1');
    try {
      await once(socket, 'data');
    } finally {
      socket.destroy();
    }
  }
}
