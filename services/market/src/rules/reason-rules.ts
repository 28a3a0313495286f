import { invalidFields } from '@quartermaster/kernel';
import { unlessShort } from '@quartermaster/objects';

const maxReasonLength = 256;

/** The reason that a caller gives, or what is said where it gives none. */
export function reasonOf(given: string, otherwise: string): string {
  const violations = unlessShort('reason', given, maxReasonLength);
  if (given.includes('\0')) violations.push({ field: 'reason', description: 'must not contain the character U+0000; remove it' });
  if (violations.length > 0) throw invalidFields(violations);
  return given.trim() === '' ? otherwise : given.trim();
}
