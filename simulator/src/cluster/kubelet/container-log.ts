/** One line of a container's output. */
export interface LogLine {
  readonly wallMs: number;
  readonly text: string;
}

const maxLines = 10_000;

/** What a container has written, the newest lines of it, and a way to hear of more. */
export class ContainerLog {
  readonly #lines: LogLine[] = [];
  readonly #followers = new Set<() => void>();
  readonly #ended = new AbortController();
  #dropped = 0;

  append(wallMs: number, text: string): void {
    for (const part of text.split('\n')) {
      this.#lines.push({ wallMs, text: part });
      if (this.#lines.length <= maxLines) continue;
      this.#lines.shift();
      this.#dropped += 1;
    }
    for (const changed of this.#followers) changed();
  }

  lines(): readonly LogLine[] {
    return [...this.#lines];
  }

  /** How many lines were ever written. */
  get written(): number {
    return this.#dropped + this.#lines.length;
  }

  /** Aborts when the container has ended. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** No more will come. Tells those that follow. */
  end(): void {
    this.#ended.abort(new Error('the container has ended'));
    for (const changed of this.#followers) changed();
  }

  /**
   * The lines after so many, then each that comes, until there will be none or the signal aborts. Nothing is kept for who is slow: lines that are
   * no longer there when it asks for them are passed over.
   */
  async *follow(after: number, signal: AbortSignal): AsyncGenerator<LogLine, void> {
    const waiting = { wake: (): void => {} };
    const changed = (): void => waiting.wake();
    this.#followers.add(changed);
    signal.addEventListener('abort', changed);
    try {
      for (let position = after; !signal.aborted; ) {
        position = Math.max(position, this.#dropped);
        const line = this.#lines[position - this.#dropped];
        if (line !== undefined) {
          position += 1;
          yield line;
        } else if (this.#ended.signal.aborted) {
          return;
        } else {
          await new Promise<void>((resolve) => {
            waiting.wake = resolve;
          });
        }
      }
    } finally {
      this.#followers.delete(changed);
      signal.removeEventListener('abort', changed);
    }
  }
}

const wordLines = 80;
const wordBytes = 2048;

/** The end of a log as a kubelet tells it of a container that has failed; undefined where nothing was written. */
export function lastWords(lines: readonly LogLine[]): string | undefined {
  const text = lines
    .slice(-wordLines)
    .map((line) => `${line.text}\n`)
    .join('');
  // A character that the cut goes through becomes one that stands for it.
  return text === '' ? undefined : Buffer.from(text).subarray(-wordBytes).toString('utf8');
}

/** The lines that a log request asks for: not older than a time, then the last so many. */
export function selectLines(lines: readonly LogLine[], query: URLSearchParams, nowMs: number): readonly LogLine[] {
  const sinceSeconds = Number(query.get('sinceSeconds') ?? Number.NaN);
  const sinceTime = Date.parse(query.get('sinceTime') ?? '');
  const fromMs = Number.isFinite(sinceSeconds) ? nowMs - sinceSeconds * 1000 : sinceTime;
  const recent = Number.isFinite(fromMs) ? lines.filter(({ wallMs }) => wallMs >= fromMs) : lines;
  const tail = query.get('tailLines');
  if (tail === null) return recent;
  return Number(tail) === 0 ? [] : recent.slice(-Number(tail));
}
