/** What a benchmark reports: its measures, each against a baseline that was measured in the same run, where there is one. */

export type Better = 'higher' | 'lower';

/** Memory in MB, latencies and stalls in ms, start and sync times in s, CPU time of one event in µs, rates per second. */
export interface Sample {
  readonly what: string;
  readonly ours: number;
  /** Null where nothing comparable exists. */
  readonly baseline: number | null;
  readonly unit: 'MB' | 'ms' | 's' | 'µs' | '/s';
  readonly better: Better;
}

export interface Measure extends Sample {
  /** How many times better ours is: above 1 is better than the baseline, below 1 worse. Null without a baseline. */
  readonly ratio: number | null;
}

export interface Report {
  readonly bench: string;
  readonly measures: readonly Measure[];
}

/** Values must be finite, and above zero where they divide: a clock that never ticked is no measurement. */
export function measure(sample: Sample): Measure {
  const { what, ours, baseline, better } = sample;
  if (baseline === null) {
    if (!Number.isFinite(ours) || ours <= 0) throw new Error(`measure ${what}: ours is ${ours}; it must be finite and above zero`);
    return { ...sample, ours: round(ours), ratio: null };
  }
  const [dividend, divisor] = better === 'higher' ? [ours, baseline] : [baseline, ours];
  if (!Number.isFinite(dividend) || !Number.isFinite(divisor) || dividend < 0 || divisor <= 0) {
    throw new Error(`measure ${what}: ours ${ours} and baseline ${baseline} have no ratio; both must be finite and above zero`);
  }
  return { ...sample, ours: round(ours), baseline: round(baseline), ratio: round(dividend / divisor) };
}

/** Three significant digits, and never fewer than the whole number: 0.0123, 1.23, 12.3, 123, 12346. */
export function round(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}

/** The table for people. */
export function formatTable({ bench, measures }: Report): string {
  const rows = [['measure', 'ours', 'baseline', 'unit', 'times better'], ...measures.map(row)];
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
  const ordered = measures.map(({ what, ours, baseline, ratio, unit, better }) => ({ what, ours, baseline, ratio, unit, better }));
  return JSON.stringify({ bench, measures: ordered });
}

/** Prints the table and, when the arguments hold `--json`, the line for programs as the last one. */
export function printReport(report: Report, args: readonly string[]): void {
  console.log(formatTable(report));
  if (args.includes('--json')) console.log(formatJson(report));
}

const row = ({ what, ours, baseline, unit, ratio }: Measure): string[] => [
  what,
  String(ours),
  baseline === null ? 'none' : String(baseline),
  unit,
  ratio === null ? '' : `x ${ratio}`,
];

// The names and units are read from the left, the numbers are compared from the right.
const pad = (cell: string, width: number, column: number): string =>
  column === 0 || column === 3 ? cell.padEnd(width) : cell.padStart(width);
