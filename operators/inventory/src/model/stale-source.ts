/** Something that is not being heard of, so that what it last said is no longer confirmed. */
export interface StaleSource {
  readonly source: string;
  /** When it was last heard of, in milliseconds since the epoch; undefined if never. */
  readonly lastContactAt: number | undefined;
  readonly reason: string;
}
