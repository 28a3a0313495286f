import { StatusError } from '@quartermaster/kernel';
import { databaseFailure } from '@quartermaster/store';
import type { AnyObject, Kind } from '../kinds/kind.ts';

// unique index -> the field that it keeps unique
const uniqueFields: ReadonlyMap<string, { readonly field: string; readonly description: string }> = new Map([
  ['clusters_alias_is_unique', { field: 'status.alias', description: 'another cluster has this alias; choose a free one' }],
  ['clusters_port_is_unique', { field: 'status.port', description: 'another cluster of the same hub has this port; choose a free one' }],
]);

/** The refusal of an id or another value that is taken, in the words of the contract; anything else as it is. */
export function takenInstead<M extends AnyObject>(kind: Kind<M>, id: string, thrown?: unknown): unknown {
  const constraint = databaseFailure(thrown)?.constraint;
  if (thrown === undefined || constraint === `${kind.name}_pkey`) {
    const description = `a ${kind.store.type.singular} with the id "${id}" already exists; choose another id, or leave it empty to be given one`;
    return new StatusError('already_exists', `field "id": ${description}`, {
      details: { fieldViolations: [{ field: 'id', description }] },
    });
  }
  const unique = uniqueFields.get(constraint ?? '');
  if (unique === undefined) return thrown;
  return new StatusError('already_exists', `field "${unique.field}": ${unique.description}`, { details: { fieldViolations: [unique] } });
}
