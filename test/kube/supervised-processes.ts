import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { StatusError } from '@quartermaster/kernel';
import type { SupervisorNotice, SupervisorRequest } from './supervisor-protocol.ts';

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;

interface Waiter {
  readonly resolve: (pid: number | undefined) => void;
  readonly reject: (error: StatusError) => void;
}

/** How a process of the control plane ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Processes in a temporary directory, held by a supervisor (see supervisor.ts) that outlives this process just long
 * enough to stop them. Does not keep this process alive except while an answer is awaited.
 */
export class SupervisedProcesses {
  readonly directory: string;
  readonly #supervisor: ChildProcess;
  readonly #waiters = new Map<number, Waiter>(); // request id -> who waits for its reply
  readonly #pids = new Map<string, number>(); // process name -> pid while it runs
  readonly #endings = new Map<string, Ending>(); // process name -> how its last run ended
  #lastId = 0;
  #stopped: Promise<void> | undefined;

  private constructor(supervisor: ChildProcess, directory: string) {
    this.#supervisor = supervisor;
    this.directory = directory;
    supervisor.on('message', (notice: SupervisorNotice) => this.#receive(notice));
    supervisor.once('exit', () => this.#lose());
    supervisor.unref();
    supervisor.channel?.unref();
  }

  static async open(): Promise<SupervisedProcesses> {
    const supervisor = fork(fileURLToPath(new URL('./supervisor.ts', import.meta.url)), [], {
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // Neither a test runner's loaders nor an inspector's port belong in there.
      execArgv: ['--disable-warning=ExperimentalWarning'],
      env: withoutNodeOptions(process.env),
    });
    const failed = once(supervisor, 'exit').then(([code]) => {
      throw new StatusError('internal', `the supervisor of the control plane ended with code ${String(code)} before it was ready`);
    });
    const [notice] = (await Promise.race([once(supervisor, 'message'), failed])) as [SupervisorNotice];
    if (notice.kind !== 'directory') throw new StatusError('internal', `the supervisor began with ${notice.kind} instead of its directory`);
    return new SupervisedProcesses(supervisor, notice.directory);
  }

  /** The pid while the process runs. */
  pid(name: string): number | undefined {
    return this.#pids.get(name);
  }

  /** How the last run of the process ended; undefined while it runs or when it never ran. */
  ending(name: string): Ending | undefined {
    return this.#endings.get(name);
  }

  /** Resolves when the process exists. It writes to `<name>.log` in the directory, after what an earlier run wrote. */
  async start(name: string, file: string, args: readonly string[]): Promise<void> {
    this.#endings.delete(name);
    const pid = await this.#request({ action: 'start', name, file, args });
    if (pid !== undefined && !this.#endings.has(name)) this.#pids.set(name, pid);
  }

  /** Resolves when the process is gone; for SIGSTOP and SIGCONT, when the signal is sent. */
  async kill(name: string, signal: NodeJS.Signals): Promise<void> {
    await this.#request({ action: 'kill', name, signal });
  }

  /** Stops every process, the one started first last, and removes the directory. Idempotent. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stopAll();
    return this.#stopped;
  }

  async #stopAll(): Promise<void> {
    if (this.#supervisor.exitCode !== null || this.#supervisor.signalCode !== null) return;
    this.#supervisor.ref();
    const gone = once(this.#supervisor, 'exit');
    await this.#request({ action: 'stop' });
    await gone;
  }

  async #request(request: WithoutId<SupervisorRequest>): Promise<number | undefined> {
    if (!this.#supervisor.connected) throw lost();
    this.#lastId += 1;
    const id = this.#lastId;
    this.#supervisor.channel?.ref();
    try {
      return await new Promise((resolve, reject) => {
        this.#waiters.set(id, { resolve, reject });
        this.#supervisor.send({ ...request, id }, (error) => {
          if (error !== null) reject(lost());
        });
      });
    } finally {
      this.#waiters.delete(id);
      if (this.#waiters.size === 0) this.#supervisor.channel?.unref();
    }
  }

  #receive(notice: SupervisorNotice): void {
    switch (notice.kind) {
      case 'directory':
        return;
      case 'exited':
        this.#pids.delete(notice.name);
        this.#endings.set(notice.name, { code: notice.code, signal: notice.signal });
        return;
      case 'reply':
        if (notice.error === undefined) this.#waiters.get(notice.id)?.resolve(notice.pid);
        else this.#waiters.get(notice.id)?.reject(new StatusError('failed_precondition', notice.error));
    }
  }

  #lose(): void {
    this.#pids.clear();
    for (const waiter of this.#waiters.values()) waiter.reject(lost());
  }
}

const lost = (): StatusError => new StatusError('unavailable', 'the control plane is stopped, or its supervisor was killed');

function withoutNodeOptions({ NODE_OPTIONS: _, ...env }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return env;
}
