import { formatDocument } from '../../text/format-document.ts';
import type { Paint } from '../../text/paint.ts';
import type { CreateFlags } from '../kinds/kind.ts';
import type { ObjectApi } from '../objects/api-connection.ts';
import type { AnyObject } from '../objects/object-client.ts';
import { objectDocument } from '../objects/object-json.ts';
import { nameOf, words } from '../objects/read-objects.ts';

export type WriteOutcome = 'created' | 'changed' | 'unchanged' | 'deleted' | 'being deleted';

/** What became of an object: a line for people, the object for programs. */
export function writtenText(
  { kind, schema }: ObjectApi,
  object: AnyObject,
  outcome: WriteOutcome,
  { format, isDryRun, paint }: { readonly format: CreateFlags['output']; readonly isDryRun: boolean; readonly paint: Paint },
): string {
  switch (format) {
    case 'json':
    case 'yaml':
      return formatDocument(objectDocument(kind, schema, object), format);
    case 'name':
      return `${nameOf(object)}\n`;
    case 'text': {
      const painted = outcome === 'unchanged' ? paint.dim(outcome) : paint.good(outcome);
      const id = nameOf(object) === object.id ? '' : paint.dim(` (${object.id})`);
      return `${words(kind.singular)} ${nameOf(object)} ${painted}${id}${isDryRun ? ' (dry run: nothing was written)' : ''}\n`;
    }
  }
}
