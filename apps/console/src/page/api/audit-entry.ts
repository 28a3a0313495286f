/** One write, or secrets that were opened, as the audit log has it. */
export interface AuditEntry {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly role: string;
  readonly peer: string;
  /** `/private.v1.Hosts/Update`. */
  readonly method: string;
  readonly kind: string;
  readonly object_id: string;
  readonly object_name: string;
  readonly changes: readonly FieldChange[];
  /** `created`, `updated`, `deleted`, `archived`, `revealed`. */
  readonly outcome: string;
  readonly request_id: string;
}

export interface FieldChange {
  readonly path: string;
  /** JSON; empty where there was nothing. */
  readonly before: string;
  readonly after: string;
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  readonly next_cursor: string;
}

export const auditPath = '/api/quartermaster/v1/audit';
/** The outcome of an entry that tells of secrets that were opened. */
export const revealed = 'revealed';
export const auditRight = '/quartermaster.fulfillment.v1.Audit/List';

/** The log is not read again with everything else: whoever reads it may hold it. */
export const logKey = ['audit-log'] as const;
