import { invalidFields, invisible } from '@quartermaster/kernel';
import { unlessShort } from '@quartermaster/objects';

const maxReasonLength = 256;

/** The reason that a caller gives, or what is said where it gives none. */
export function reasonOf(given: string, otherwise: string): string {
  const violations = unlessShort('reason', given, maxReasonLength);
  if (violations.length === 0 && invisible.test(given))
    violations.push({ field: 'reason', description: 'has characters that cannot be seen, such as U+0000: write one line of plain text' });
  if (violations.length > 0) throw invalidFields(violations);
  return given.trim() === '' ? otherwise : given.trim();
}
