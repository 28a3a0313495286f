/** The first `limit` of all values in order. The rest is looked at, but neither kept nor sorted. */
export function firstInOrder<T>(values: Iterable<T>, limit: number, compare: (a: T, b: T) => number): readonly T[] {
  let kept: T[] = [];
  let last: T | undefined; // what comes after it is not among the first
  for (const value of values) {
    if (last !== undefined && compare(value, last) >= 0) continue;
    kept.push(value);
    if (kept.length < 2 * limit) continue;
    kept = kept.sort(compare).slice(0, limit);
    last = kept.at(-1);
  }
  return kept.sort(compare).slice(0, limit);
}
