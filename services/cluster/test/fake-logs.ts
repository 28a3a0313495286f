import { StatusError } from '@quartermaster/kernel';
import type { LineOptions, LogSource } from '../src/gateway/streams/log-stream.ts';
import type { SeenLeasePod } from '../src/health/lease-health.ts';
import { leasePodOf } from './seen-lease.ts';

interface Written {
  readonly lines: string[];
  /** Its container has ended: who follows comes to an end. */
  hasEnded: boolean;
}

/** Logs of pods as a kubelet serves them: times are asked for by the second, and a stream ends with its container or breaks. */
export class FakeLogs implements LogSource {
  /** Why nothing can be read now. */
  failure: StatusError | undefined;
  /** What was asked for. */
  readonly asked: (LineOptions & { readonly pod: string })[] = [];
  /** Lines that were taken. */
  taken = 0;
  readonly #pods = new Map<string, SeenLeasePod>(); // name -> it
  readonly #logs = new Map<string, Written>(); // uid -> its log
  readonly #listeners = new Set<() => void>();
  #breaks = Promise.withResolvers<void>();
  #news = Promise.withResolvers<void>();

  get listeners(): number {
    return this.#listeners.size;
  }

  /** There is a pod now; one that there was already has changed. */
  set(name: string, changed: Partial<SeenLeasePod> = {}): void {
    const pod = leasePodOf(name, changed);
    this.#pods.set(name, pod);
    if (!this.#logs.has(pod.uid)) this.#logs.set(pod.uid, { lines: [], hasEnded: false });
    this.#tell();
  }

  remove(name: string): void {
    this.ends(name);
    this.#pods.delete(name);
    this.#tell();
  }

  /** `second` may have a fraction; undefined is the rest of a long line. */
  write(name: string, second: number | undefined, text: string): void {
    const stamp = second === undefined ? '' : `${new Date(second * 1000).toISOString()} `;
    this.#of(name).lines.push(`${stamp}${text}`);
    this.#wake();
  }

  /** Its container has ended, and goes on with a new log when it starts again. */
  ends(name: string): void {
    this.#of(name).hasEnded = true;
    this.#wake();
  }

  restarts(name: string): void {
    const pod = this.#pods.get(name);
    if (pod !== undefined) this.#logs.set(pod.uid, { lines: [], hasEnded: false });
    this.set(name, pod);
  }

  /** Every stream that is open breaks. */
  break(): void {
    const breaks = this.#breaks;
    this.#breaks = Promise.withResolvers();
    breaks.resolve();
  }

  pods(): readonly SeenLeasePod[] {
    return [...this.#pods.values()];
  }

  changes(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async *lines(name: string, options: LineOptions): AsyncGenerator<string, void> {
    this.asked.push({ ...options, pod: name });
    await Promise.resolve();
    if (this.failure !== undefined) throw this.failure;
    const log = this.#of(name);
    let isBroken = false;
    const breaks = this.#breaks.promise.then(() => void (isBroken = true));
    const ended = new Promise<void>((resolve) => {
      options.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    let at = startOf(log.lines, options);
    for (;;) {
      options.signal.throwIfAborted();
      if (isBroken) throw new StatusError('unavailable', `log of ${name}: the connection broke`);
      const line = log.lines[at];
      if (line !== undefined) {
        at += 1;
        this.taken += 1;
        yield line;
        continue;
      }
      if (!options.follow || log.hasEnded) return;
      await Promise.race([this.#news.promise, breaks, ended]);
    }
  }

  #of(name: string): Written {
    const log = this.#logs.get(this.#pods.get(name)?.uid ?? '');
    if (log === undefined) throw new StatusError('not_found', `pods "${name}" not found`);
    return log;
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #wake(): void {
    const news = this.#news;
    this.#news = Promise.withResolvers();
    news.resolve();
  }
}

function startOf(lines: readonly string[], { tailLines, sinceTime }: LineOptions): number {
  if (tailLines !== undefined) {
    // A line counts as one, however long it is.
    const starts = lines.flatMap((line, at) => (isStamped(line) ? [at] : []));
    return tailLines === 0 ? lines.length : (starts.at(-tailLines) ?? 0);
  }
  if (sinceTime === undefined) return 0;
  const second = Math.floor(Date.parse(sinceTime) / 1000) * 1000;
  const first = lines.findIndex((line) => isStamped(line) && Date.parse(line.slice(0, 24)) >= second);
  return first < 0 ? lines.length : first;
}

const isStamped = (line: string): boolean => /^\d{4}-/.test(line);
