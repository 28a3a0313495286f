export type ChangeType = 'created' | 'updated' | 'deleted' | 'signaled';

/** What a writing transaction adds to the feed, beside the write itself. */
export interface NewChange {
  readonly kind: string;
  readonly type: ChangeType;
  readonly objectId: string;
  readonly version: bigint;
  readonly tenantsBefore: readonly string[];
  readonly tenantsAfter: readonly string[];
  /** The object after the change (before it, when it was deleted), without its secrets. */
  readonly body: Uint8Array;
}

/** One change of one object. Readers of a process that are near the end of the feed share the same Change, so what is derived from it is worth keeping in a WeakMap. */
export interface Change extends NewChange {
  /** Reading from it gives what comes after this change. */
  readonly token: string;
  readonly at: Date;
}

/** No change: everything up to here was delivered. */
export interface Bookmark {
  readonly bookmark: string;
}
