/** Proof of leadership during one term. */
export interface Leadership {
  /** Aborts when the lease is lost or given back. */
  readonly signal: AbortSignal;
  /** Grows with every change of leader, also when the Lease is deleted, as far as the next leader has seen it before. One that has not begins at 0. */
  readonly term: number;
  /** How long the lease is certainly still ours; zero or less once it may not be. */
  remainingMs(): number;
  /** Throws failed_precondition unless the lease is certainly still ours. Call it immediately before acting. */
  assertHeld(): void;
  /**
   * Throws failed_precondition unless the server says that the lease is ours, whatever this machine's clock says: that of one that was suspended may have stood still. What
   * was written before is seen by whoever takes the lease afterwards. The server is asked after the call came; all who call meanwhile share the next question.
   */
  verify(): Promise<void>;
}

export interface ElectionStatus {
  readonly isLeader: boolean;
  /** The last holder seen, us included; undefined before the Lease was first read. */
  readonly holder: string | undefined;
  /** Where that holder is reached, as it says. */
  readonly address?: string | undefined;
  readonly term: number;
  readonly lastError: string | undefined;
}
