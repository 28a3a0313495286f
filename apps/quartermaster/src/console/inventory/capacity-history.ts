import type { CapacityLine, DivisionTuple, TrendSample } from '@quartermaster/console';
import type { Clock } from '@quartermaster/kernel';

const everyMs = 10_000;
const keptMs = 3_600_000;

/** How capacity was over the last hour: a sample every 10 s, the oldest forgotten. While nobody knows, a sample is a gap. */
export class CapacityHistory {
  readonly #clock: Clock;
  readonly #read: () => readonly CapacityLine[] | undefined;
  readonly #changed: () => void;
  #samples: readonly TrendSample[] = [];
  #cancel: () => void = () => {};

  /** `read` says what is true now, undefined while that is not known. */
  constructor(clock: Clock, read: () => readonly CapacityLine[] | undefined, changed: () => void) {
    this.#clock = clock;
    this.#read = read;
    this.#changed = changed;
    this.#schedule();
  }

  /** The oldest first. The same array until the next sample. */
  samples(): readonly TrendSample[] {
    return this.#samples;
  }

  /** Takes a sample now, as when the first figures are there: a plot should not wait for its first point. */
  take(): void {
    const at = this.#clock.now();
    const lines = this.#read();
    const kept = this.#samples.filter((sample) => sample.at > at - keptMs && sample.at < at);
    this.#samples = [...kept, { at, ...divisions(lines ?? []) }];
    this.#changed();
  }

  stop(): void {
    this.#cancel();
  }

  #schedule(): void {
    this.#cancel = this.#clock.schedule(everyMs, () => {
      this.#schedule();
      this.take();
    });
  }
}

function divisions(lines: readonly CapacityLine[]): Omit<TrendSample, 'at'> {
  const of = (name: 'gpu' | 'cpu' | 'memory'): DivisionTuple | undefined => {
    const division = lines.find((line) => line.kind === 'resource' && line.name === name)?.division;
    return division && [division.allocated, division.sellable, division.heldBack, division.unknown];
  };
  return { gpu: of('gpu'), cpu: of('cpu'), memory: of('memory') };
}
