/**
 * The parent of a control plane's processes, run as a process of its own in a session of its own.
 *
 * It owns the temporary directory and every process in it. It lives exactly as long as the IPC channel to the process
 * that asked for it: when that closes, for whatever reason (a normal end, an interrupt, SIGKILL), it stops everything
 * and removes the directory. Being in its own session, neither it nor its children get a terminal's Ctrl-C.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SupervisorNotice, SupervisorRequest } from './supervisor-protocol.ts';

/** How long a process may take to end after SIGTERM before it gets SIGKILL. */
const stopDeadlineMs = 5_000;

class Supervisor {
  readonly directory = mkdtempSync(join(tmpdir(), 'quartermaster-kube-'));
  readonly #children = new Map<string, ChildProcess>(); // name -> running process, in the order they were started first
  #stopped: Promise<void> | undefined;

  async handle(request: SupervisorRequest): Promise<void> {
    try {
      const pid = await this.#perform(request);
      notify({ kind: 'reply', id: request.id, ...(pid === undefined ? {} : { pid }) });
    } catch (error) {
      notify({ kind: 'reply', id: request.id, error: error instanceof Error ? error.message : String(error) });
    }
  }

  /** Idempotent. The process started first (etcd) ends last, since the others need it to end well. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stopAll();
    return this.#stopped;
  }

  async #perform(request: SupervisorRequest): Promise<number | undefined> {
    switch (request.action) {
      case 'start':
        return await this.#start(request.name, request.file, request.args);
      case 'kill':
        await this.#kill(request.name, request.signal);
        return undefined;
      case 'stop':
        await this.stop();
        return undefined;
    }
  }

  #start(name: string, file: string, args: readonly string[]): Promise<number> {
    if (this.#stopped !== undefined) throw new Error(`cannot start ${name}: the control plane is being stopped`);
    const running = this.#children.get(name);
    if (running !== undefined && isRunning(running)) throw new Error(`${name} is running already, as process ${running.pid}`);
    const log = openSync(join(this.directory, `${name}.log`), 'a');
    const child = spawn(file, args, { cwd: this.directory, stdio: ['ignore', log, log] });
    closeSync(log);
    this.#children.set(name, child);
    child.once('exit', (code, signal) => notify({ kind: 'exited', name, code, signal }));
    return new Promise((resolve, reject) => {
      child.once('error', (error) => reject(new Error(`cannot start ${name} from ${file}: ${error.message}`)));
      child.once('spawn', () => resolve(child.pid ?? 0));
    });
  }

  async #kill(name: string, signal: NodeJS.Signals): Promise<void> {
    const child = this.#children.get(name);
    if (child === undefined || !isRunning(child)) throw new Error(`cannot send ${signal} to ${name}: it is not running`);
    const gone = exited(child);
    child.kill(signal);
    if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') await gone;
  }

  async #stopAll(): Promise<void> {
    const [first, ...rest] = [...this.#children.values()];
    await Promise.all(rest.map(terminate));
    if (first !== undefined) await terminate(first);
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function terminate(child: ChildProcess): Promise<void> {
  if (!isRunning(child)) return;
  const gone = exited(child);
  child.kill('SIGTERM');
  // A process that a fault test paused takes SIGTERM only once it is continued.
  child.kill('SIGCONT');
  const deadline = setTimeout(() => child.kill('SIGKILL'), stopDeadlineMs);
  await gone;
  clearTimeout(deadline);
}

const isRunning = (child: ChildProcess): boolean => child.pid !== undefined && child.exitCode === null && child.signalCode === null;

const exited = (child: ChildProcess): Promise<void> => new Promise((resolve) => child.once('exit', () => resolve()));

/** What can no longer be told to anybody needs no telling. */
function notify(notice: SupervisorNotice): void {
  if (process.connected) process.send?.(notice, undefined, undefined, () => {});
}

function main(): void {
  const supervisor = new Supervisor();
  const stopAndExit = (code: number): void => {
    void supervisor.stop().finally(() => process.exit(code));
  };
  process.on('message', (request: SupervisorRequest) => {
    void supervisor.handle(request).then(() => {
      if (request.action === 'stop') process.disconnect();
    });
  });
  process.once('disconnect', () => stopAndExit(0));
  process.once('uncaughtException', () => stopAndExit(1));
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stopAndExit(0));
  notify({ kind: 'directory', directory: supervisor.directory });
}

main();
