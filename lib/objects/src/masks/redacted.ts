import { redacted } from '@quartermaster/store';

export { redacted };

/** True for what a response shows in place of a secret, be it a text or bytes. */
export function isRedacted(value: unknown): boolean {
  if (typeof value === 'string') return value === redacted;
  return value instanceof Uint8Array && value.length === redacted.length && new TextDecoder().decode(value) === redacted;
}
