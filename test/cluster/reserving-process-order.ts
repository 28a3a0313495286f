import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type StatusCode, StatusError } from '@quartermaster/kernel';

/** What it is told. */
export type ProcessOrder =
  | { readonly id: number; readonly do: 'lead' }
  | { readonly id: number; readonly do: 'reserve' | 'unreserve'; readonly dseq: number }
  | { readonly do: 'die'; readonly step: string }
  /** Between the last look at the lease and the socket, in the next reservation; or not any more. */
  | { readonly do: 'pause'; readonly write: 'create' | 'confirm' | 'none' };

export interface ProcessAnswer {
  readonly id: number;
  /** Of the reservation; empty where there is none. */
  readonly uid?: string | undefined;
  readonly code?: StatusCode | undefined;
  readonly message?: string | undefined;
}

let started = 0;

export class ReservingProcess {
  /** The signal that ended it. */
  readonly ended: Promise<string | null>;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (answer: ProcessAnswer) => void>();
  #id = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.ended = once(child, 'exit').then(([, signal]: readonly (string | null)[]) => signal ?? null);
    child.on('message', (answer: ProcessAnswer) => {
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
  }

  /** Resolves when it stands for election. */
  static async start(kubeconfig: string, namespace: string, leaseMs = 15_000): Promise<ReservingProcess> {
    started += 1;
    const file = fileURLToPath(new URL('./reserving-process.ts', import.meta.url));
    const made = new ReservingProcess(fork(file, [kubeconfig, namespace, `replica-${started}`, String(leaseMs)], { execArgv: [] }));
    await made.#answerTo(0);
    return made;
  }

  async leads(): Promise<boolean> {
    return await this.#ask({ id: this.#nextId(), do: 'lead' }).then(
      () => true,
      () => false,
    );
  }

  /** UID of the reservation; empty when it does not fit, or there was none. */
  async reserve(dseq: number): Promise<string> {
    return await this.#ask({ id: this.#nextId(), do: 'reserve', dseq });
  }

  async unreserve(dseq: number): Promise<string> {
    return await this.#ask({ id: this.#nextId(), do: 'unreserve', dseq });
  }

  dieAt(step: string): void {
    this.#child.send({ do: 'die', step } satisfies ProcessOrder);
  }

  pauseAt(write: 'create' | 'confirm' | 'none'): void {
    this.#child.send({ do: 'pause', write } satisfies ProcessOrder);
  }

  goOn(): void {
    this.#child.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  #nextId(): number {
    this.#id += 1;
    return this.#id;
  }

  async #ask(order: Extract<ProcessOrder, { readonly id: number }>): Promise<string> {
    const answered = this.#answerTo(order.id);
    this.#child.send(order);
    const { uid = '', code, message = '' } = await answered;
    if (code !== undefined) throw new StatusError(code, message);
    return uid;
  }

  #answerTo(id: number): Promise<ProcessAnswer> {
    const answered = new Promise<ProcessAnswer>((resolve) => {
      this.#waiting.set(id, resolve);
    });
    const gone: Promise<ProcessAnswer> = this.ended.then(() => ({ id, code: 'unavailable', message: 'the process has ended' }));
    return Promise.race([answered, gone]);
  }
}
