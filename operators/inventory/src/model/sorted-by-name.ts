/** By the code units of the name, as every list of the inventory is. */
export function sortedByName<T>(values: readonly T[], nameOf: (each: T) => string): readonly T[] {
  return values.toSorted((a, b) => compareNames(nameOf(a), nameOf(b)));
}

export function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
