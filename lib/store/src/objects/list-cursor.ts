import { createHash } from 'node:crypto';
import { StatusError } from '@quartermaster/kernel';

/** A place between two pages, and what it is a place in. */
export interface ListPlace {
  /** Kind, filter and order: a cursor goes on in the list that it was made for and in no other. */
  readonly list: string;
  /** Of the last object before the place. */
  readonly key: readonly string[];
}

/** A short text for what was listed. */
export function listName(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16);
}

export function encodeCursor({ list, key }: ListPlace): string {
  return Buffer.from(JSON.stringify([list, ...key])).toString('base64url');
}

/** The key of a cursor of that list. Throws `invalid_argument` for anything else. */
export function decodeCursor(cursor: string, list: string): readonly string[] {
  const parts = partsOf(cursor);
  if (parts === undefined) throw refusal('it is not a cursor that a response returned; leave it empty to start from the beginning');
  if (parts[0] !== list) throw refusal('it belongs to a list with another filter or order; use the same ones, or leave it empty');
  return parts.slice(1);
}

function partsOf(cursor: string): readonly string[] | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parts) && parts.every((part): part is string => typeof part === 'string') ? parts : undefined;
  } catch {
    return undefined;
  }
}

function refusal(rule: string): StatusError {
  const description = `the cursor cannot be used: ${rule}`;
  return new StatusError('invalid_argument', `field "cursor": ${description}`, {
    details: { fieldViolations: [{ field: 'cursor', description }] },
  });
}
