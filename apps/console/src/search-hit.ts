/** Something with a name that the search found. Where it is shown is the pages' business: they know the kinds. */
export interface SearchHit {
  /** `node`, `pod`, `part`, `class`, `gpu`. */
  readonly kind: string;
  /** What tells it from others of its kind: a name, `namespace/name`, `node id`. */
  readonly id: string;
  readonly label: string;
  readonly detail: string;
}

export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
}
