import { type ChildProcess, spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { type Clock, type Log, StatusError } from '@quartermaster/kernel';
import { inheritedFolder, serverEnvironment } from './data-directory.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import type { PostgresUser } from './postgres-user.ts';

export interface ServerOptions {
  readonly data: string;
  readonly port: number;
  readonly binaries: PostgresBinaries;
  readonly user: PostgresUser | undefined;
  /** False gives up what was committed when the machine (not a process) stops hard: for tests. */
  readonly isDurable: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** A server that takes connections. */
export interface ServerProcess {
  readonly pid: number;
  /** Settles when it has ended, however it came to that. */
  readonly ended: Promise<void>;
  /** Breaks off what is running, writes everything down and ends. */
  stop(): Promise<void>;
}

/** For a machine that has other things to do. Errors are not logged by the server, since they quote values; its clients get them. */
const settings: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  // After a crash every file is made sure of once: by one call for the file system, not by one for each file.
  recovery_init_sync_method: 'syncfs',
  max_locks_per_transaction: '256',
  shared_buffers: '128MB',
  max_wal_size: '512MB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  io_method: 'sync',
  jit: 'off',
  log_line_prefix: '',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
};

/** One server serves all test files of a run, each with some services and their pools. */
const forTests: Readonly<Record<string, string>> = { fsync: 'off', full_page_writes: 'off', max_connections: '400' };

const stopTimeoutMs = 10_000;

/** Resolves when the server takes connections; rejects with its own last words when it ends before that. */
export async function startServerProcess(options: ServerOptions): Promise<ServerProcess> {
  const { clock, log } = options;
  const child = await spawnServer(options);
  let lastWords = '';
  const ready = new Promise<boolean>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => resolve(false));
    createInterface({ input: child.stderr ?? Readable.from([]) }).on('line', (line) => {
      if (line.startsWith('FATAL') || lastWords === '') lastWords = line;
      log.debug('postgres', { line });
      if (line.includes('database system is ready to accept connections')) resolve(true);
    });
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  if (child.pid !== undefined) {
    const guard = spawnGuard(child.pid, options.user);
    void ended.then(() => guard.kill('SIGKILL'));
  }
  if (!(await ready) || child.pid === undefined) throw new StatusError('unavailable', `PostgreSQL failed to start: ${lastWords}`);
  // A process that has nothing else to do may end, and the server with it.
  child.unref();
  return {
    pid: child.pid,
    ended,
    async stop() {
      child.ref();
      child.kill('SIGINT');
      const cancel = clock.schedule(stopTimeoutMs, () => child.kill('SIGQUIT'));
      await ended;
      cancel();
    },
  };
}

async function spawnServer(options: ServerOptions): Promise<ChildProcess> {
  const { data, port, binaries, user, isDurable } = options;
  const folder = await open(data);
  try {
    const all = { ...settings, port: String(port), ...(isDurable ? {} : forTests) };
    const child = spawn(
      binaries.postgres,
      ['-D', inheritedFolder, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      // A group of its own: Ctrl-C is for us, and we end the server when we are done with it.
      { cwd: '/', detached: true, env: serverEnvironment(), stdio: ['ignore', 'ignore', 'pipe', folder.fd], ...user },
    );
    return child;
  } finally {
    await folder.close();
  }
}

/** Ends the server when this process dies without having done so: its end of the pipe closes then, whatever killed it. */
function spawnGuard(pid: number, user: PostgresUser | undefined): ChildProcess {
  const guard = spawn('/bin/sh', ['-c', 'read -r line; kill -INT "$0"', String(pid)], {
    cwd: '/',
    detached: true,
    env: serverEnvironment(),
    stdio: ['pipe', 'ignore', 'ignore'],
    ...user,
  });
  guard.on('error', () => {});
  guard.unref();
  return guard;
}
