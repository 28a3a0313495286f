/** A number of hosts of one class, as a person types it: a node set of a template, a host set of a pool. */
export interface SetRow {
  /** Stays the same while the name is typed. */
  readonly key: number;
  readonly name: string;
  readonly hostClass: string;
  readonly size: string;
}

type Sets = Readonly<Record<string, { readonly host_class: string; readonly size: number }>>;

export const rowsOfSets = (sets: Sets): readonly SetRow[] =>
  Object.entries(sets)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { host_class: hostClass, size }], key) => ({ key, name, hostClass, size: String(size) }));

/** As the API takes them. What is no number is sent as it was typed, for the API to refuse. */
export function setsOfRows(rows: readonly SetRow[]): Readonly<Record<string, { readonly host_class: string; readonly size: unknown }>> {
  return Object.fromEntries(
    rows.map(({ name, hostClass, size }) => [name, { host_class: hostClass, size: /^-?\d+$/.test(size) ? Number(size) : size || 0 }]),
  );
}

/** Names that more than one row has: the API would never hear of all but the last. */
export function repeatedNames(rows: readonly SetRow[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(rows.map(({ name }) => name).filter((name) => seen.has(name) || !seen.add(name)));
}
