import { type Clock, codeOf, type Log, messageOf, pause } from '@quartermaster/kernel';
import type { SeenLeasePod } from '../../health/lease-health.ts';
import { isLater, stampedLine } from './log-line.ts';

export interface LogWish {
  /** Empty: of all services that the caller may see. */
  readonly services: readonly string[];
  readonly follow: boolean;
  /** Of each pod that there is at the beginning; all of them unless given. */
  readonly tail?: number | undefined;
}

export interface LineOptions {
  readonly container: string;
  readonly follow: boolean;
  readonly tailLines?: number | undefined;
  readonly sinceTime?: string | undefined;
  readonly signal: AbortSignal;
}

export interface LogSource {
  /** With the time in front of each line. */
  lines(pod: string, options: LineOptions): AsyncIterable<string>;
  /** Those of the lease whose logs are wanted, as they are now. */
  pods(): readonly SeenLeasePod[];
  /** Calls back when pods of the lease may have changed. */
  changes(listener: () => void): () => void;
}

export interface LogStreamOptions {
  readonly source: LogSource;
  readonly wish: LogWish;
  /** Waits while the reader is slow. Throws once it is gone. */
  readonly send: (line: { readonly name: string; readonly message: string }) => Promise<void>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'debug'>;
}

/** A log that has ended, or cannot be read, is asked for again after so long, or as soon as its pod changes. */
const lookAgainMs = 30_000;
const atOnce = 8;

/** Sends the logs of a lease, merged, each line with the name of its pod. Ends with the last line; of a stream that follows, with the signal. */
export async function streamLogs(options: LogStreamOptions, signal: AbortSignal): Promise<void> {
  const stopping = new AbortController();
  const either = AbortSignal.any([signal, stopping.signal]);
  try {
    await (options.wish.follow ? followAll(options, either) : readAll(options, either));
  } finally {
    stopping.abort();
  }
}

async function readAll(options: LogStreamOptions, signal: AbortSignal): Promise<void> {
  const pods = options.source.pods().toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const next = pods.values();
  const worker = async (): Promise<void> => {
    for (const pod of next) {
      const reader = new PodLog(pod, options, options.wish.tail);
      await reader.read({ follow: false }, signal).catch((thrown: unknown) => {
        // A log that cannot be read now is not an empty one.
        if (signal.aborted || !hasNoLog(thrown)) throw thrown;
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

async function followAll(options: LogStreamOptions, signal: AbortSignal): Promise<void> {
  const { source, wish } = options;
  const failed = Promise.withResolvers<never>();
  // Whoever waits for it may have left.
  failed.promise.catch(() => {});
  const followed = new Map<string, FollowedPod>(); // uid -> its log
  let isFirst = true;
  const look = (): void => {
    const pods = source.pods();
    const there = new Set(pods.map(({ uid }) => uid));
    for (const [uid, pod] of followed) {
      // What it wrote to its end is still on its way.
      if (!there.has(uid)) followed.delete(uid);
      pod.changed();
    }
    for (const pod of pods) {
      if (followed.has(pod.uid)) continue;
      const one = new FollowedPod(new PodLog(pod, options, isFirst ? wish.tail : undefined), options, () => followed.has(pod.uid));
      followed.set(pod.uid, one);
      one.run(signal).catch((thrown: unknown) => failed.reject(thrown));
    }
    isFirst = false;
  };
  const unlisten = source.changes(look);
  const isOver = (): void => failed.reject(signal.reason);
  signal.addEventListener('abort', isOver, { once: true });
  try {
    signal.throwIfAborted();
    look();
    await failed.promise;
  } finally {
    unlisten();
    signal.removeEventListener('abort', isOver);
    followed.clear();
  }
}

/** The log of a pod goes on for as long as there is the pod: through restarts of its container, and of what is between. */
class FollowedPod {
  readonly #reader: PodLog;
  readonly #options: LogStreamOptions;
  readonly #isThere: () => boolean;
  #wake: () => void = () => {};

  constructor(reader: PodLog, options: LogStreamOptions, isThere: () => boolean) {
    this.#reader = reader;
    this.#options = options;
    this.#isThere = isThere;
  }

  changed(): void {
    this.#wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    while (this.#isThere() && !signal.aborted) {
      const woken = new AbortController();
      this.#wake = () => woken.abort();
      try {
        await this.#reader.read({ follow: true }, signal);
      } catch (thrown) {
        if (signal.aborted) return;
        if (!isPassing(thrown)) throw thrown;
        log.debug('a log cannot be read now', { error: messageOf(thrown) });
      }
      await pause(clock, lookAgainMs, AbortSignal.any([signal, woken.signal]));
    }
  }
}

/** One pod, read once or several times, each line told once. */
class PodLog {
  readonly #pod: SeenLeasePod;
  readonly #options: LogStreamOptions;
  /** Until it was read, or turned out to have no log: what comes then is all new. */
  #tail: number | undefined;
  /** The newest stamp, and how many lines were told since it first came: several may have the same, and long ones come in parts. */
  #last: { readonly stamp: string; readonly told: number } | undefined;

  constructor(pod: SeenLeasePod, options: LogStreamOptions, tail: number | undefined) {
    this.#pod = pod;
    this.#options = options;
    this.#tail = tail;
  }

  async read({ follow }: { readonly follow: boolean }, signal: AbortSignal): Promise<void> {
    try {
      if (follow && this.#tail === 0) await this.#skip(signal);
      await this.#tell({ follow, signal });
      this.#tail = undefined;
    } catch (thrown) {
      if (hasNoLog(thrown)) this.#tail = undefined;
      throw thrown;
    }
  }

  /** To where the log stands now: with the stream itself, nobody could tell the last line from the first new one. */
  async #skip(signal: AbortSignal): Promise<void> {
    for await (const line of this.#lines({ follow: false, tailLines: 1, signal })) {
      const { stamp } = stampedLine(line);
      if (stamp !== undefined) this.#last = { stamp, told: Number.POSITIVE_INFINITY };
    }
    this.#tail = undefined;
  }

  async #tell(how: Pick<LineOptions, 'follow' | 'signal'>): Promise<void> {
    const before = this.#last;
    const since = before === undefined ? { tailLines: this.#tail } : { sinceTime: before.stamp };
    let again: number | undefined; // lines since the stamp that was the newest
    let isNew = before === undefined;
    for await (const line of this.#lines({ ...how, ...since })) {
      const { stamp, text } = stampedLine(line);
      // What was told already comes again, since times are asked for by the second.
      if (before !== undefined && !isNew) {
        if (stamp === before.stamp || again !== undefined) again = (again ?? 0) + 1;
        isNew = (stamp !== undefined && isLater(stamp, before.stamp)) || (again ?? 0) > before.told;
      }
      if (!isNew) continue;
      this.#note(stamp);
      await this.#options.send({ name: this.#pod.name, message: text });
    }
  }

  #lines(how: Omit<LineOptions, 'container'>): AsyncIterable<string> {
    const { name, service } = this.#pod;
    return this.#options.source.lines(name, { container: service, ...how });
  }

  #note(stamp: string | undefined): void {
    const last = this.#last;
    if (stamp !== undefined && (last === undefined || isLater(stamp, last.stamp))) this.#last = { stamp, told: 1 };
    else if (last !== undefined) this.#last = { ...last, told: last.told + 1 };
  }
}

/** A container that has not started yet, a pod that has just gone. */
const hasNoLog = (thrown: unknown): boolean => ['not_found', 'invalid_argument'].includes(codeOf(thrown));
/** Also an API server that is away. */
const isPassing = (thrown: unknown): boolean => hasNoLog(thrown) || ['unavailable', 'failed_precondition'].includes(codeOf(thrown));
