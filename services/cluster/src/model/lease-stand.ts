/** What the bid engine has to know of the lease of an order. */
export interface LeaseStand {
  /** Something of it runs, or may: its part of the cluster is not given back. */
  readonly mayRun: boolean;
  /** Something of it was made, or may have been. One that still waits for its manifest has nothing to lose. */
  readonly mayBeMade: boolean;
  /** It goes on for certain: it has a record, and its end was not let through. */
  readonly lasts: boolean;
}
