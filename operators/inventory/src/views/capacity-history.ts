import type { CapacityLine, DivisionTuple, TrendSample } from '@quartermaster/api/inventory-views';
import type { Clock } from '@quartermaster/kernel';

const everyMs = 10_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const minuteMs = 60_000;

export interface CapacityHistoryOptions {
  readonly clock: Clock;
  /** What is true now; undefined while that is not known. */
  readonly read: () => readonly CapacityLine[] | undefined;
  readonly changed: () => void;
}

/**
 * How capacity was over the last day: a sample every 10 s for the last hour, one a minute before that. While nobody knows, a sample is a gap, and a
 * minute with a gap in it stays one; so does a time in which this process did not run.
 */
export class CapacityHistory {
  readonly #options: CapacityHistoryOptions;
  #recent: readonly TrendSample[] = [];
  #older: TrendSample[] = [];
  #cancel: () => void = () => {};

  constructor(options: CapacityHistoryOptions) {
    this.#options = options;
    this.#schedule();
  }

  /** The last hour, the oldest first. The same array until the next sample. */
  lastHour(): readonly TrendSample[] {
    return this.#recent;
  }

  /** All samples from a moment on, the oldest first. */
  since(at: number): readonly TrendSample[] {
    return [...this.#older, ...this.#recent].filter((sample) => sample.at >= at);
  }

  /** Takes a sample now, as when the first figures are there: a plot should not wait for its first point. */
  take(): void {
    const at = this.#options.clock.now();
    const lines = this.#options.read();
    const last = this.#recent.at(-1);
    const slept = last !== undefined && at - last.at > 2 * everyMs ? [{ at: last.at + everyMs }] : [];
    const samples = [...this.#recent, ...slept].filter((sample) => sample.at < at);
    for (const sample of samples) if (sample.at <= at - hourMs) this.#thin(sample);
    this.#older = this.#older.filter((sample) => sample.at > at - dayMs && sample.at < at);
    this.#recent = [...samples.filter((sample) => sample.at > at - hourMs), { at, ...divisions(lines ?? []) }];
    this.#options.changed();
  }

  stop(): void {
    this.#cancel();
  }

  /** The first sample of each minute stands for it, unless there was a gap. */
  #thin(sample: TrendSample): void {
    const last = this.#older.at(-1);
    const isSameMinute = last !== undefined && Math.floor(last.at / minuteMs) === Math.floor(sample.at / minuteMs);
    if (!isSameMinute) this.#older.push(sample);
    else if (isGap(sample)) this.#older[this.#older.length - 1] = { at: last.at };
  }

  #schedule(): void {
    this.#cancel = this.#options.clock.schedule(everyMs, () => {
      this.#schedule();
      this.take();
    });
  }
}

const isGap = ({ gpu, cpu, memory }: TrendSample): boolean => gpu === undefined && cpu === undefined && memory === undefined;

function divisions(lines: readonly CapacityLine[]): Omit<TrendSample, 'at'> {
  const of = (name: 'gpu' | 'cpu' | 'memory'): DivisionTuple | undefined => {
    const division = lines.find((line) => line.kind === 'resource' && line.name === name)?.division;
    return division && [division.allocated, division.sellable, division.heldBack, division.unknown];
  };
  return { gpu: of('gpu'), cpu: of('cpu'), memory: of('memory') };
}
