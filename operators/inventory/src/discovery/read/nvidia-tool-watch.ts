import { type Clock, pause } from '@quartermaster/kernel';
import type { MachineReader } from '../machine/machine-reader.ts';
import { type NvidiaToolAnswer, readNvidiaTool } from './read-nvidia-tool.ts';
import { Readings } from './readings.ts';

export interface NvidiaToolWatchOptions {
  readonly reader: MachineReader;
  readonly clock: Clock;
  /** How long one who reads waits for the tool. */
  readonly patienceMs: number;
}

interface Answered {
  readonly answer: NvidiaToolAnswer;
  readonly problems: readonly string[];
  /** It came when nobody waited for it any more. */
  readonly isNews: boolean;
}

/**
 * Asks nvidia-smi for those who cannot wait for it: with many cards it takes minutes, and with a broken one for ever. It is asked once at a time. Who has waited long enough gets
 * the answer before, and `hasNews` tells when the one that is due has come.
 */
export class NvidiaToolWatch {
  readonly #options: NvidiaToolWatchOptions;
  #answered: Answered | undefined;
  #asking: Promise<void> | undefined;
  #isWaitedFor = false;

  constructor(options: NvidiaToolWatchOptions) {
    this.#options = options;
  }

  get hasNews(): boolean {
    return this.#answered?.isNews === true;
  }

  /** Problems of the answer are told to `readings`. */
  async read(readings: Readings, signal?: AbortSignal): Promise<NvidiaToolAnswer> {
    if (!this.hasNews) await this.#askInTime(signal);
    if (this.#answered === undefined) return 'late';
    this.#answered = { ...this.#answered, isNews: false };
    for (const problem of this.#answered.problems) readings.problem(problem);
    return this.#answered.answer;
  }

  async #askInTime(signal: AbortSignal | undefined): Promise<void> {
    const { clock, patienceMs } = this.#options;
    this.#asking ??= this.#ask(signal).finally(() => {
      this.#asking = undefined;
    });
    this.#isWaitedFor = true;
    const enough = new AbortController();
    const giveUp = signal === undefined ? enough.signal : AbortSignal.any([enough.signal, signal]);
    await Promise.race([this.#asking, pause(clock, patienceMs, giveUp)]);
    enough.abort();
    this.#isWaitedFor = false;
    signal?.throwIfAborted();
  }

  /** Rejects only when the signal aborts. */
  async #ask(signal: AbortSignal | undefined): Promise<void> {
    const readings = new Readings(this.#options.reader, signal);
    const answer = await readNvidiaTool(readings);
    this.#answered = { answer, problems: readings.problems, isNews: !this.#isWaitedFor };
  }
}
