import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Clock, StatusError } from '@quartermaster/kernel';
import { type ClusterNews, type ClusterOrder, type ClusterStart, clusterNewsSchema } from './cluster-protocol.ts';

export interface ClusterReady {
  readonly server: string;
  readonly nodes: number;
}

export interface ClusterProcessOptions {
  readonly start: Omit<ClusterStart, 'kind'>;
  readonly clock: Clock;
  readonly onProgress: (text: string) => void;
  /** Called when the process ends without having been told to, after it was ready. */
  readonly onLost: (why: string) => void;
}

const program = fileURLToPath(new URL('./play-cluster.ts', import.meta.url));

/**
 * The simulated cluster in a process of its own, so that its load never delays this one. It ends with this process, however
 * that ends.
 */
export class ClusterProcess {
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  readonly #exited: Promise<string>;
  readonly #ready: Promise<ClusterReady>;
  #isStopping = false;

  constructor({ start, clock, onProgress, onLost }: ClusterProcessOptions) {
    this.#clock = clock;
    // A terminal's Ctrl-C reaches the whole process group: in a group of its own this process hears of it from us, in order.
    this.#child = fork(program, [], { detached: true, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#exited = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve(error.message));
      this.#child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
    });
    this.#ready = this.#untilReady(onProgress);
    this.#send({ kind: 'start', ...start });
    void this.#reportLoss(onLost);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Throws what the process said when it could not start. */
  ready(): Promise<ClusterReady> {
    return this.#ready;
  }

  /** Resolves when the process is gone. After `withinMs` it is killed. */
  async stop(withinMs: number): Promise<void> {
    if (!this.#isStopping) this.#send({ kind: 'stop' });
    this.#isStopping = true;
    const cancel = this.#clock.schedule(withinMs, () => this.#child.kill('SIGKILL'));
    await this.#exited;
    cancel();
  }

  #send(order: ClusterOrder): void {
    // A process that is already gone is told by `#exited`.
    this.#child.send(order, () => {});
  }

  async #untilReady(onProgress: (text: string) => void): Promise<ClusterReady> {
    const news = new Promise<Exclude<ClusterNews, { kind: 'progress' }>>((resolve) => {
      this.#child.on('message', (message) => {
        const each = clusterNewsSchema.parse(message);
        if (each.kind === 'progress') onProgress(each.text);
        else resolve(each);
      });
    });
    const ended = this.#exited.then((why): ClusterNews => {
      return { kind: 'failed', code: 'internal', message: `the process of the simulated cluster ended (${why}); its last words are above` };
    });
    const first = await Promise.race([news, ended]);
    if (first.kind === 'ready') return first;
    throw first.kind === 'failed' ? new StatusError(first.code, first.message) : new StatusError('internal', first.text);
  }

  async #reportLoss(onLost: (why: string) => void): Promise<void> {
    try {
      await this.#ready;
    } catch {
      return;
    }
    const why = await this.#exited;
    if (!this.#isStopping) onLost(why);
  }
}
