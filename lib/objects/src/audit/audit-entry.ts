/** One field that a write changed. JSON on both sides, cut off with `…` when it is long; empty where there is nothing. */
export interface FieldChange {
  /** `spec.node_sets['workers'].size`, `status.conditions[0].reason` */
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
  /** `created`, `updated`, `deleted` (waits for its finalizers) or `archived`; `revealed` when its secrets were opened; the status code of a refusal. */
  readonly outcome: string;
}
