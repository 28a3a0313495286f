/** One field that a write changed. Absent before or after is the empty text; a secret is `<redacted>` on the sides on which it is set. */
export interface FieldChange {
  /** `spec.node_sets.workers.size`, `status.conditions[0].reason` */
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** Who does something, and from where: the same for everything that a call writes. */
export interface AuditOrigin {
  readonly actor: string;
  readonly role: string;
  /** Address of the caller. */
  readonly peer: string;
  /** `/private.v1.Hosts/Update` */
  readonly method: string;
  readonly requestId: string;
}

/** What was done to one object, or was refused. */
export interface AuditEvent {
  /** The plural of the kind: `hosts`. Empty when the call was refused before it named an object. */
  readonly kind: string;
  readonly objectId: string;
  readonly objectName: string;
  readonly changes: readonly FieldChange[];
  /** `ok`, or the status code of the refusal. */
  readonly outcome: string;
}
