/** The values of one statement, in the order of their places. Several parts of a statement share one of these. */
export class SqlParameters {
  readonly values: unknown[] = [];

  /** The place of the value, with a cast where the statement does not tell its type: `$3::numeric`. */
  add(value: unknown, cast?: string): string {
    const place = `$${this.values.push(value)}`;
    return cast === undefined ? place : `${place}::${cast}`;
  }
}
