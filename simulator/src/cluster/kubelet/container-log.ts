/** One line of a container's output. */
export interface LogLine {
  readonly wallMs: number;
  readonly text: string;
}

const maxLines = 10_000;

/** What a container has written, the newest lines of it, and a way to hear of more. */
export class ContainerLog {
  readonly #lines: LogLine[] = [];
  readonly #followers = new Set<(line: LogLine) => void>();
  readonly #ends = new Set<() => void>();
  #ended = false;

  append(wallMs: number, text: string): void {
    for (const part of text.split('\n')) {
      const line = { wallMs, text: part };
      this.#lines.push(line);
      if (this.#lines.length > maxLines) this.#lines.shift();
      for (const follower of this.#followers) follower(line);
    }
  }

  lines(): readonly LogLine[] {
    return [...this.#lines];
  }

  /** No more will come. Tells those that follow. */
  end(): void {
    this.#ended = true;
    for (const ended of this.#ends) ended();
    this.#followers.clear();
    this.#ends.clear();
  }

  /** Calls with every further line, and once when there will be none. Returns what ends it. */
  follow(line: (line: LogLine) => void, ended: () => void): () => void {
    if (this.#ended) {
      ended();
      return () => {};
    }
    this.#followers.add(line);
    this.#ends.add(ended);
    return () => {
      this.#followers.delete(line);
      this.#ends.delete(ended);
    };
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
