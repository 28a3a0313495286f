/** What a benchmark reports: its measures, each against a baseline that was measured in the same run, where there is one. */

export type Better = 'higher' | 'lower';

/** Memory in MB, or in KiB where it is little, latencies and stalls in ms, start and sync times in s, CPU time of one event in µs, rates per second, or per minute where they are small, streams in MB/s, shares in percent. */
export interface Samples {
  readonly what: string;
  /** One value a round. */
  readonly ours: readonly number[];
  /** Null where nothing comparable exists. */
  readonly baseline: readonly number[] | null;
  readonly unit: 'MB' | 'KiB' | 'ms' | 's' | 'µs' | '/s' | '/min' | 'MB/s' | '%';
  readonly better: Better;
}

/** The least and the greatest of the values. */
export type Range = readonly [min: number, max: number];

export interface Measure extends Pick<Samples, 'what' | 'unit' | 'better'> {
  /** The median of the rounds. */
  readonly ours: number;
  readonly baseline: number | null;
  /** How many times better our median is: above 1 is better than the baseline, below 1 worse. Null without a baseline. */
  readonly ratio: number | null;
  readonly rounds: number;
  readonly oursRange: Range;
  readonly baselineRange: Range | null;
}

export interface Report {
  readonly bench: string;
  readonly measures: readonly Measure[];
}

/** Values must be finite, and their median above zero: a clock that never ticked is no measurement. A single round of a cost that is a difference may be below zero. */
export function measure({ what, ours, baseline, unit, better }: Samples): Measure {
  const told = { what, unit, better, ours: round(median(ours)), rounds: ours.length, oursRange: rangeOf(ours) };
  if (baseline === null) {
    if (!ours.every(Number.isFinite) || !(median(ours) > 0)) {
      throw new Error(`measure ${what}: ours is ${ours.join(', ')}; they must be finite, and their median above zero`);
    }
    return { ...told, baseline: null, ratio: null, baselineRange: null };
  }
  const [dividend, divisor] = better === 'higher' ? [median(ours), median(baseline)] : [median(baseline), median(ours)];
  if (![...ours, ...baseline].every(Number.isFinite) || !(dividend >= 0) || !(divisor > 0)) {
    throw new Error(
      `measure ${what}: ours ${ours.join(', ')} and baseline ${baseline.join(', ')} have no ratio; both must be finite and above zero`,
    );
  }
  return { ...told, baseline: round(median(baseline)), ratio: round(dividend / divisor), baselineRange: rangeOf(baseline) };
}

/** Of an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
}

const rangeOf = (values: readonly number[]): Range => [round(Math.min(...values)), round(Math.max(...values))];

/** Three significant digits, and never fewer than the whole number: 0.0123, 1.23, 12.3, 123, 12346. */
export function round(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}

/** The table for people: medians, and beside them the least and the greatest value. */
export function formatTable({ bench, measures }: Report, [left, right]: readonly [string, string] = ['ours', 'baseline']): string {
  const rows = [['measure', left, 'min to max', right, 'min to max', 'unit', 'rounds', 'times better'], ...measures.map(row)];
  const widths = rows.reduce<number[]>((widest, cells) => cells.map((cell, column) => Math.max(cell.length, widest[column] ?? 0)), []);
  const lines = rows.map((cells) =>
    cells
      .map((cell, column) => pad(cell, widths[column] ?? 0, column))
      .join('  ')
      .trimEnd(),
  );
  return [bench, ...lines].join('\n');
}

/** The line for programs. */
export function formatJson({ bench, measures }: Report): string {
  const order = ['what', 'ours', 'baseline', 'ratio', 'unit', 'better', 'rounds', 'oursRange', 'baselineRange'] as const;
  return JSON.stringify({ bench, measures: measures.map((each) => Object.fromEntries(order.map((field) => [field, each[field]]))) });
}

/** Prints the table and, when the arguments hold `--json`, the line for programs as the last one. */
export function printReport(report: Report, args: readonly string[], sides?: readonly [ours: string, baseline: string]): void {
  console.log(formatTable(report, sides));
  if (args.includes('--json')) console.log(formatJson(report));
}

const row = ({ what, ours, oursRange, baseline, baselineRange, unit, rounds, ratio }: Measure): string[] => [
  what,
  String(ours),
  oursRange.join(' to '),
  baseline === null ? 'none' : String(baseline),
  baselineRange?.join(' to ') ?? '',
  unit,
  String(rounds),
  ratio === null ? '' : `x ${ratio}`,
];

// The names and units are read from the left, the numbers are compared from the right.
const pad = (cell: string, width: number, column: number): string =>
  column === 0 || column === 5 ? cell.padEnd(width) : cell.padStart(width);
