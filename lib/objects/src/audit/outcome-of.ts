interface Written {
  readonly metadata?: { readonly deletionTimestamp?: unknown; readonly finalizers: readonly string[] } | undefined;
}

/** What a write made of an object: `deleted` is one that waits for its finalizers, `archived` one that is gone. */
export function outcomeOf(before: Written | undefined, after: Written): 'created' | 'updated' | 'deleted' | 'archived' {
  if (before === undefined) return 'created';
  const { deletionTimestamp, finalizers } = after.metadata ?? { finalizers: [] };
  if (deletionTimestamp === undefined) return 'updated';
  if (finalizers.length === 0) return 'archived';
  return before.metadata?.deletionTimestamp === undefined ? 'deleted' : 'updated';
}
