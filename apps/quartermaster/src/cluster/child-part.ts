import { type ChildProcess, fork } from 'node:child_process';
import { type Clock, StatusError } from '@quartermaster/kernel';
import { type ChildNews, type ChildOrder, type ChildReady, childNewsSchema } from './child-protocol.ts';

export interface ChildPartOptions {
  /** For messages: `simulated cluster`. */
  readonly name: string;
  /** Path of the program, which speaks the protocol of child-protocol.ts. */
  readonly program: string;
  readonly settings: unknown;
  readonly clock: Clock;
  readonly onProgress: (text: string) => void;
  /** Called when the process ends without having been told to, after it was ready. */
  readonly onLost: (why: string) => void;
}

/**
 * A part of `up` in a process of its own, so that its load never delays this one. It ends with this process, however that
 * ends.
 */
export class ChildPart {
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  readonly #exited: Promise<string>;
  readonly #ready: Promise<ChildReady>;
  #isStopping = false;

  constructor({ name, program, settings, clock, onProgress, onLost }: ChildPartOptions) {
    this.#name = name;
    this.#clock = clock;
    // A terminal's Ctrl-C reaches the whole process group: in a group of its own the process hears of it from us, in order.
    this.#child = fork(program, [], { detached: true, stdio: ['ignore', 2, 2, 'ipc'] });
    this.#exited = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve(error.message));
      this.#child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
    });
    this.#ready = this.#untilReady(onProgress);
    // Without this, a process that hangs would outlive one that was told to end at once.
    const killAtExit = (): void => this.kill();
    process.once('exit', killAtExit);
    void this.#exited.then(() => process.off('exit', killAtExit));
    this.#send({ kind: 'start', settings });
    void this.#reportLoss(onLost);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Throws what the process said when it could not start. */
  ready(): Promise<ChildReady> {
    return this.#ready;
  }

  /** Resolves when the process is gone. After `withinMs` it is killed. Idempotent. */
  async stop(withinMs: number): Promise<void> {
    if (!this.#isStopping) this.#send({ kind: 'stop' });
    this.#isStopping = true;
    const cancel = this.#clock.schedule(withinMs, () => this.kill());
    await this.#exited;
    cancel();
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #send(order: ChildOrder): void {
    // A process that is already gone is told by `#exited`.
    if (this.#child.connected) this.#child.send(order, () => {});
  }

  async #untilReady(onProgress: (text: string) => void): Promise<ChildReady> {
    const news = new Promise<Exclude<ChildNews, { kind: 'progress' }>>((resolve) => {
      this.#child.on('message', (message) => {
        const each = childNewsSchema.parse(message);
        if (each.kind === 'progress') onProgress(each.text);
        else resolve(each);
      });
    });
    const first = await Promise.race([news, this.#exited]);
    if (typeof first === 'string') {
      throw new StatusError('unavailable', `the process of the ${this.#name} ended before it was ready (${first}): see its output above`);
    }
    if (first.kind === 'ready') return first;
    throw new StatusError(first.code, first.message);
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
