import type { Clock, Log } from '@quartermaster/kernel';
import { SharedKey, type SharedParts } from '@quartermaster/service';
import { type EmbeddedPostgres, ensureDatabase, startEmbeddedPostgres } from '@quartermaster/store/embedded';

export interface EmbeddedDatabaseOptions {
  /** Of the server. */
  readonly directory: string;
  /** The role that it belongs to. */
  readonly database: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** A database on an embedded server, until it is closed. */
export interface EmbeddedDatabase {
  /** With the password in it: do not show it. */
  readonly url: string;
  close(): Promise<void>;
}

interface Used {
  readonly starting: Promise<EmbeddedPostgres>;
  users: number;
}

/** The embedded PostgreSQL servers of one process: one for each directory, with a database for each role. A server ends with the last that uses it. */
export class EmbeddedServers {
  readonly #servers = new Map<string, Used>(); // directory -> server
  readonly #stopping = new Map<string, Promise<void>>(); // directory -> until its last server has stopped

  async open(options: EmbeddedDatabaseOptions): Promise<EmbeddedDatabase> {
    const { directory } = options;
    const used = this.#servers.get(directory) ?? { starting: this.#start(options), users: 0 };
    this.#servers.set(directory, used);
    used.users += 1;
    try {
      const url = await ensureDatabase((await used.starting).url, options.database);
      return { url, close: () => this.#close(directory, used) };
    } catch (thrown) {
      await this.#close(directory, used);
      throw thrown;
    }
  }

  async #start({ directory, clock, log }: EmbeddedDatabaseOptions): Promise<EmbeddedPostgres> {
    await this.#stopping.get(directory);
    return await startEmbeddedPostgres({ directory, clock, log });
  }

  async #close(directory: string, used: Used): Promise<void> {
    used.users -= 1;
    if (used.users > 0) return;
    this.#servers.delete(directory);
    const stopping = used.starting.catch(() => undefined).then((server) => server?.stop());
    this.#stopping.set(
      directory,
      stopping.catch(() => {}),
    );
    await stopping;
  }
}

const key = new SharedKey<EmbeddedServers>('embedded PostgreSQL servers');

/** Those of the process whose parts these are. */
export function embeddedServers(shared: SharedParts): EmbeddedServers {
  const known = shared.find(key);
  if (known !== undefined) return known;
  const made = new EmbeddedServers();
  shared.provide(key, made);
  return made;
}
