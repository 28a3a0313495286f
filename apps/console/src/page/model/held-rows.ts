/** The rows to show and how many changes of place, arrivals and departures are held back. */
export interface HeldRows<T> {
  readonly rows: readonly T[];
  readonly changes: number;
}

/**
 * Keeps the rows where they are while a person points at them: the same rows in the same order with their newest values, a
 * row that is gone with its last one. What would have moved is counted. Undefined `held` holds nothing.
 */
export function holdRows<T>(held: readonly T[] | undefined, newest: readonly T[], keyOf: (row: T) => string): HeldRows<T> {
  if (held === undefined) return { rows: newest, changes: 0 };
  const now = new Map(newest.map((row) => [keyOf(row), row])); // key -> row
  const shown = new Set(held.map(keyOf));
  const arrived = newest.filter((row) => !shown.has(keyOf(row))).length;
  const gone = held.filter((row) => !now.has(keyOf(row))).length;
  const kept = held.filter((row) => now.has(keyOf(row))).map(keyOf);
  const moved = newest.filter((row) => shown.has(keyOf(row))).filter((row, index) => keyOf(row) !== kept[index]).length;
  return { rows: held.map((row) => now.get(keyOf(row)) ?? row), changes: arrived + gone + moved };
}
