/** Something with a name that a search found. Where it is shown is the pages' business: they know the kinds. */
export interface SearchHit {
  /** `node`, `gpu`, `class`; the console adds its own. */
  readonly kind: string;
  /** What tells it from others of its kind: a name, `node id`. */
  readonly id: string;
  readonly label: string;
  readonly detail: string;
}

export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  /** The kinds that were looked through. */
  readonly searched: readonly string[];
}
