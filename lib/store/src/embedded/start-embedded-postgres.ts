import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Backoff, type Clock, type Log, messageOf, pause, StatusError, systemClock, systemRandom } from '@quartermaster/kernel';
import { ensureCluster, serverPassword, userName } from './data-directory.ts';
import { claimDirectory } from './directory-claim.ts';
import { endOrphans } from './end-orphans.ts';
import { handOver } from './hand-over.ts';
import { postgresBinaries } from './postgres-binaries.ts';
import { postgresUser } from './postgres-user.ts';
import { type ServerOptions, type ServerProcess, startServerProcess } from './server-process.ts';

export interface EmbeddedPostgresOptions {
  /** Everything of the server is in it, and survives with it. Made when missing; only we can enter it. */
  readonly directory: string;
  readonly log: Log;
  readonly clock?: Clock | undefined;
  /** False for tests alone: committed data may be lost when the machine stops hard. */
  readonly isDurable?: boolean | undefined;
}

export interface EmbeddedPostgres {
  /** With the password in it: do not show it. Stays the same while it runs, and is tried first at the next start. */
  readonly url: string;
  /** Of the server that runs now; undefined between the death of one and the start of the next. */
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

const startAttempts = 3;

/**
 * A PostgreSQL of our own on 127.0.0.1. When the server dies it is started again on the same port; when this process dies the server ends, too, and
 * what should be left of it is cleared away by the next start.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { log, clock = systemClock, isDurable = true } = options;
  await mkdir(options.directory, { recursive: true, mode: 0o700 });
  const directory = await realpath(options.directory);
  let release = async (): Promise<void> => {};
  // Timers of the clock do not keep a process alive, and this may be the first thing that it does.
  const alive = setInterval(() => {}, 60_000);
  try {
    release = await claimDirectory(directory, clock);
    const data = join(directory, 'data');
    const user = await postgresUser(data, log);
    const [binaries, password] = await Promise.all([postgresBinaries(user), serverPassword(directory)]);
    const made = await ensureCluster(directory, { binaries, user, password, isDurable });
    if (made === 'found') await endOrphans(data, { clock, log });
    if (user !== undefined) await handOver(data, user, log);
    const { port, server } = await firstServer(directory, { data, binaries, user, isDurable, clock, log });
    const supervisor = new Supervisor(server, { data, port, binaries, user, isDurable, clock, log }, release);
    log.info('embedded PostgreSQL started', { directory, port, cluster: made });
    return {
      url: `postgresql://${userName}:${password}@127.0.0.1:${port}/postgres`,
      get pid() {
        return supervisor.pid;
      },
      stop: () => supervisor.stop(),
    };
  } catch (thrown) {
    await release();
    throw thrown;
  } finally {
    clearInterval(alive);
  }
}

class Supervisor {
  readonly #options: ServerOptions;
  readonly #release: () => Promise<void>;
  readonly #stopping = new AbortController();
  readonly #following: Promise<void>;
  #server: ServerProcess | undefined;

  constructor(server: ServerProcess, options: ServerOptions, release: () => Promise<void>) {
    this.#server = server;
    this.#options = options;
    this.#release = release;
    this.#following = this.#follow();
  }

  get pid(): number | undefined {
    return this.#server?.pid;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#server?.stop();
    await this.#following;
    await this.#release();
  }

  async #follow(): Promise<void> {
    while (this.#server !== undefined) {
      await this.#server.ended;
      this.#server = undefined;
      if (this.#stopping.signal.aborted) return;
      this.#options.log.error('embedded PostgreSQL exited unexpectedly; restarting it');
      this.#server = await this.#launch();
    }
  }

  /** Tries for ever; undefined when it is being stopped. */
  async #launch(): Promise<ServerProcess | undefined> {
    const { clock, log, data } = this.#options;
    const { signal } = this.#stopping;
    const backoff = new Backoff({ firstMs: 100, maxMs: 5_000, factor: 2 }, systemRandom);
    while (!signal.aborted) {
      try {
        await endOrphans(data, { clock, log });
        const server = await startServerProcess(this.#options);
        if (!signal.aborted) return server;
        await server.stop();
      } catch (thrown) {
        const afterMs = backoff.nextMs();
        log.error('embedded PostgreSQL failed to start', { error: messageOf(thrown), afterMs });
        await pause(clock, afterMs, signal);
      }
    }
    return undefined;
  }
}

/** Somebody else may take the free port before the server does: then another one is tried. */
async function firstServer(directory: string, options: Omit<ServerOptions, 'port'>): Promise<{ port: number; server: ServerProcess }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await choosePort(directory);
    try {
      return { port, server: await startServerProcess({ ...options, port }) };
    } catch (thrown) {
      if (attempt >= startAttempts) throw thrown;
      options.log.warn('embedded PostgreSQL failed to start; trying another port', { error: messageOf(thrown) });
    }
  }
}

/** The port of last time when it is free, so that whoever noted the URL can use it again. */
async function choosePort(directory: string): Promise<number> {
  const file = join(directory, 'port');
  const last = Number(await readFile(file, 'utf8').catch(() => ''));
  const port = (last > 0 && last < 65_536 ? await freePort(last) : undefined) ?? (await freePort(0));
  if (port === undefined) throw new StatusError('unavailable', 'no free port on 127.0.0.1');
  await writeFile(file, `${port}\n`, { mode: 0o600 });
  return port;
}

function freePort(wanted: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(undefined));
    probe.listen({ host: '127.0.0.1', port: wanted, exclusive: true }, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : undefined));
    });
  });
}
