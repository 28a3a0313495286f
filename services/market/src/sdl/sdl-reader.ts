/**
 * Reads SDL in a thread of its own, so that no SDL stalls or ends the service. There is one thread: it is started for the first SDL, which
 * takes most of a second, and kept. One that dies, or takes longer than the deadline, is replaced; what it was reading has a fault, and the
 * next SDL does not notice.
 */
import { Worker } from 'node:worker_threads';
import { create, fromBinary } from '@bufbuild/protobuf';
import { SdlCheckResponseSchema, SdlFaultSchema } from '@quartermaster/api/market';
import { type Clock, StatusError } from '@quartermaster/kernel';
import type { SdlFaults, SdlReading } from './sdl-reading.ts';
import { maxSdlBytes } from './yaml-text.ts';

export interface SdlReaderOptions {
  readonly clock: Clock;
  /** For one SDL; 5 s unless told. */
  readonly deadlineMs?: number | undefined;
  /** How many may wait for their turn; 100 unless told. */
  readonly maxWaiting?: number | undefined;
  /** How many of one caller, so that nobody's texts keep those of others out; 50 unless told. */
  readonly maxOfCaller?: number | undefined;
  /** What the thread runs; for tests. */
  readonly workerFile?: URL | undefined;
}

interface Job {
  readonly text: string;
  readonly caller: string;
  readonly resolve: (reading: SdlReading) => void;
  readonly reject: (reason: unknown) => void;
}

interface Thread {
  readonly worker: Worker;
  isReady: boolean;
  cancelDeadline: () => void;
}

/** Whoever had no turn for so many turns of others counts as new. */
const maxServed = 1_000;
/** Loading the library takes 0.5 s on a quiet machine. */
const startDeadlineMs = 60_000;
/**
 * The library takes 33 MB, and the worst text that the bounds of `readYaml` let through not 70 more. The bounds come first: of a thread that
 * asks for far more at once, Node ends the whole process.
 */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

export class SdlReader implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #deadlineMs: number;
  readonly #maxWaiting: number;
  readonly #maxOfCaller: number;
  readonly #workerFile: URL;
  readonly #waiting: Job[] = [];
  readonly #served = new Map<string, number>(); // caller -> its last turn, the oldest first
  #turn = 0;
  #running: Job | undefined;
  #thread: Thread | undefined;
  #isClosed = false;

  constructor(options: SdlReaderOptions) {
    this.#clock = options.clock;
    this.#deadlineMs = options.deadlineMs ?? 5_000;
    this.#maxWaiting = options.maxWaiting ?? 100;
    this.#maxOfCaller = options.maxOfCaller ?? 50;
    this.#workerFile = options.workerFile ?? new URL('./sdl-worker.ts', import.meta.url);
  }

  /**
   * What the SDL says, or what is wrong with it. Throws `resource_exhausted` while too many wait, of this caller or of all, `unavailable`
   * when no thread can be started or after the end, and the signal's reason.
   */
  async read(text: string, caller: string, signal?: AbortSignal): Promise<SdlReading> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw closed();
    const refused = refusedText(text);
    if (refused !== undefined) return refused;
    const own = this.#waiting.filter((waiting) => waiting.caller === caller).length;
    if (this.#waiting.length >= this.#maxWaiting || own >= this.#maxOfCaller) {
      const message = `${own >= this.#maxOfCaller ? `${own} SDL texts of ${caller}` : `${this.#maxWaiting} SDL texts`} wait to be read; try again in a moment`;
      throw new StatusError('resource_exhausted', message, { details: { retryAfterMs: 1_000 } });
    }
    const { promise, resolve, reject } = Promise.withResolvers<SdlReading>();
    const job = { text, caller, resolve, reject };
    const abort = (): void => {
      const at = this.#waiting.indexOf(job);
      if (at !== -1) this.#waiting.splice(at, 1);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    this.#waiting.push(job);
    this.#takeNext();
    return await promise.finally(() => signal?.removeEventListener('abort', abort));
  }

  /** Ends the thread. What waits is answered `unavailable`. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const thread = this.#thread;
    for (const job of this.#waiting.splice(0)) job.reject(closed());
    this.#running?.reject(closed());
    this.#running = undefined;
    this.#thread = undefined;
    thread?.cancelDeadline();
    await thread?.worker.terminate();
  }

  #takeNext(): void {
    if (this.#running !== undefined) return;
    // Whoever had no turn for longest comes first: those who send many wait for them, and others do not.
    const turns = this.#waiting.map(({ caller }) => this.#served.get(caller) ?? 0);
    this.#running = this.#waiting.splice(turns.indexOf(Math.min(...turns)), 1)[0];
    if (this.#running === undefined) {
      // Who waits for nothing may end.
      this.#thread?.worker.unref();
      return;
    }
    this.#noteTurn(this.#running.caller);
    this.#thread ??= this.#startThread();
    this.#thread.worker.ref();
    if (this.#thread.isReady) this.#send(this.#thread);
  }

  #noteTurn(caller: string): void {
    this.#turn += 1;
    // At its end again.
    this.#served.delete(caller);
    this.#served.set(caller, this.#turn);
    const [oldest] = this.#served.keys();
    if (oldest !== undefined && this.#served.size > maxServed) this.#served.delete(oldest);
  }

  #startThread(): Thread {
    // Nothing of the process goes in: what reads texts of strangers needs no environment.
    const worker = new Worker(this.#workerFile, { resourceLimits, env: {}, execArgv: [], argv: [] });
    const thread: Thread = { worker, isReady: false, cancelDeadline: () => {} };
    worker.on('message', (message: 'ready' | Uint8Array) => this.#hear(thread, message));
    worker.on('error', (cause: unknown) => this.#lose(thread, cause));
    worker.on('exit', () => this.#lose(thread, undefined));
    thread.cancelDeadline = this.#clock.schedule(startDeadlineMs, () => this.#lose(thread, new Error('it took too long to start')));
    return thread;
  }

  #send(thread: Thread): void {
    if (this.#running === undefined) return;
    thread.worker.postMessage(this.#running.text, []);
    thread.cancelDeadline = this.#clock.schedule(this.#deadlineMs, () => this.#lose(thread, 'deadline'));
  }

  #hear(thread: Thread, message: 'ready' | Uint8Array): void {
    if (thread !== this.#thread) return;
    thread.cancelDeadline();
    if (message === 'ready') {
      thread.isReady = true;
      this.#send(thread);
      return;
    }
    this.#settle((job) => job.resolve(readingOf(message)));
  }

  /** The thread is of no use any more. */
  #lose(thread: Thread, cause: unknown): void {
    if (thread !== this.#thread) return;
    this.#thread = undefined;
    thread.cancelDeadline();
    void thread.worker.terminate();
    this.#settle((job) => {
      if (!thread.isReady) job.reject(new StatusError('unavailable', 'the thread that reads SDL could not be started', { cause }));
      else if (cause === 'deadline')
        job.resolve(fault('TooSlow', `the SDL takes longer than ${this.#deadlineMs} ms to read: make it simpler`));
      else job.resolve(fault('TooComplex', 'the SDL takes more memory to read than there is for it: make it simpler'));
    });
  }

  #settle(answer: (job: Job) => void): void {
    const job = this.#running;
    this.#running = undefined;
    if (job !== undefined) answer(job);
    this.#takeNext();
  }
}

function refusedText(text: string): SdlFaults | undefined {
  const size = Buffer.byteLength(text);
  if (size > maxSdlBytes) return fault('TooLarge', `the SDL has ${size} bytes; it may have at most ${maxSdlBytes}`);
  return text.isWellFormed() ? undefined : fault('BadText', 'the SDL is not valid UTF-8: save it as UTF-8');
}

const fault = (code: string, message: string): SdlFaults => ({ faults: [create(SdlFaultSchema, { code, message })] });

function readingOf(message: Uint8Array): SdlReading {
  const { groups, faults, manifestHash, manifest } = fromBinary(SdlCheckResponseSchema, message);
  return faults.length > 0 ? { faults } : { groups, manifestHash, manifest };
}

const closed = (): StatusError => new StatusError('unavailable', 'the service is stopping and reads no SDL any more');
