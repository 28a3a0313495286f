import type { DivisionTuple, TrendSample } from '@quartermaster/api/inventory-views';

export type TrendName = 'gpu' | 'cpu' | 'memory';

/** For a plot of areas that lie on each other. Times in seconds; null is a gap. */
export interface TrendSeries {
  readonly times: readonly number[];
  /** From the whole down: up to and with unknown, held back, sellable, allocated. */
  readonly tops: readonly (readonly (number | null)[])[];
  /** The division at each time. */
  readonly exact: readonly (DivisionTuple | undefined)[];
}

/** Two samples further apart than this have something missing between them. */
const gapMs = 25_000;

/** A sample that says nothing is a gap, and so is time of which there is no sample. */
export function trendSeries(samples: readonly TrendSample[], name: TrendName): TrendSeries {
  const points: { readonly at: number; readonly value: DivisionTuple | undefined }[] = [];
  for (const sample of samples.toSorted((a, b) => a.at - b.at)) {
    const before = points.at(-1);
    if (before !== undefined && sample.at - before.at > gapMs) points.push({ at: before.at + 1, value: undefined });
    points.push({ at: sample.at, value: sample[name] });
  }
  const upTo = (count: number): (number | null)[] =>
    points.map(({ value }) => (value === undefined ? null : value.slice(0, count).reduce((sum, part) => sum + part, 0)));
  return {
    times: points.map(({ at }) => at / 1000),
    tops: [4, 3, 2, 1].map(upTo),
    exact: points.map(({ value }) => value),
  };
}
