/** Stands in responses where a secret is set that the caller may not read. Sent back, it means "as it is". */
export const redacted = '<redacted>';

/** The same for secrets that are bytes. */
export const redactedBytes = (): Uint8Array<ArrayBuffer> => new TextEncoder().encode(redacted);

/** True for what a response shows in place of a secret. */
export function isRedacted(value: unknown): boolean {
  if (typeof value === 'string') return value === redacted;
  return value instanceof Uint8Array && value.length === redacted.length && new TextDecoder().decode(value) === redacted;
}
