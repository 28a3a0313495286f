/** One write, by the names of the contract. */
export interface AuditEntry {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly role: string;
  readonly peer: string;
  readonly method: string;
  readonly kind: string;
  readonly object_id: string;
  readonly object_name: string;
  readonly changes: readonly FieldChange[];
  readonly outcome: string;
  readonly request_id: string;
}

export interface FieldChange {
  readonly path: string;
  /** JSON; empty where there was nothing. */
  readonly before: string;
  readonly after: string;
}
