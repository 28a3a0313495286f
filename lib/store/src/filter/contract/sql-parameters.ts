/** The values of one statement, in the order of their places. Several parts of a statement share one of these. */
export class SqlParameters {
  readonly values: unknown[] = [];
  readonly #isPlannedOnce: boolean;

  /** With `isPlannedOnce` the planner sees no values: it has nothing to gain from planning a prepared statement anew for each, and keeps the plan. */
  constructor({ isPlannedOnce = false }: { readonly isPlannedOnce?: boolean | undefined } = {}) {
    this.#isPlannedOnce = isPlannedOnce;
  }

  /** The place of the value, with a cast where the statement does not tell its type: `$3::numeric`. */
  add(value: unknown, cast?: string): string {
    const place = `$${this.values.push(value)}`;
    if (cast === undefined) return place;
    return this.#isPlannedOnce ? plannedOnce(`${place}::${cast}`, cast) : `${place}::${cast}`;
  }

  /** The place of a pattern, which is always seen: an index serves only one of which it is known how it begins. */
  addPattern(pattern: string): string {
    return `$${this.values.push(pattern)}::text`;
  }
}

/** A value that the planner does not see. The cast tells `any(…)` that it is an array, and not a query for its elements. */
export function plannedOnce(value: string, type: string): string {
  return `(select ${value})::${type}`;
}
