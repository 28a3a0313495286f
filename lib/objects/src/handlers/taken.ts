import { StatusError } from '@quartermaster/kernel';
import { databaseFailure, type StoredObject } from '@quartermaster/store';
import type { Kind } from '../kinds/index.ts';

/** The refusal of an id or another value that is taken, in the words of the contract; anything else as it is. */
export function takenInstead<M extends StoredObject>(kind: Kind<M>, id: string, thrown?: unknown): unknown {
  const constraint = databaseFailure(thrown)?.constraint;
  if (thrown === undefined || constraint === `${kind.name}_pkey`) {
    const description = `a ${kind.singular} with the id "${id}" already exists; choose another id, or leave it empty to be given one`;
    return new StatusError('already_exists', `field "id": ${description}`, {
      details: { fieldViolations: [{ field: 'id', description }] },
    });
  }
  const unique = kind.unique?.[constraint ?? ''];
  if (unique === undefined) return thrown;
  return new StatusError('already_exists', `field "${unique.field}": ${unique.description}`, { details: { fieldViolations: [unique] } });
}
