import { enumWord } from '@quartermaster/api/states';
import type { ApiField, KnownValues } from '../../api-field.ts';
import { fieldKeys } from '../../filter/object-filter.ts';
import { isExpression } from '../../filter/terms.ts';
import { completeCel, noteOf } from './complete-cel.ts';
import { completeTerms, type TermKey } from './complete-terms.ts';
import type { Complete, Completion } from './completion.ts';

/** Completes a filter of objects in whichever way it was begun; where nothing tells, keys come before fields. */
export function completeObjects(fields: readonly ApiField[], known: KnownValues): Complete {
  const keys = [...fieldKeys(fields)].map(([name, field]): TermKey => ({ name, note: noteOf(field), values: valuesOf(field, known) }));
  const plain = completeTerms(keys);
  const cel = completeCel(fields, known);
  return (text, caret) => {
    if (isExpression(text) || 'this'.startsWith(text.trim().toLowerCase())) return cel(text, caret);
    const [terms, expression] = [plain(text, caret), cel(text, caret)];
    if (terms === undefined || expression === undefined || terms.from !== expression.from) return terms ?? expression;
    return { ...terms, options: [...terms.options, ...expression.options].slice(0, 12) };
  };
}

function valuesOf({ path, type, values = [] }: ApiField, known: KnownValues): TermKey['values'] {
  if (type === 'enum') {
    const prefix = commonPrefix(values);
    return () =>
      values.map((value): Completion => ({ insert: enumWord(value, prefix).toLowerCase() })).filter(({ insert }) => insert !== '');
  }
  if (type === 'bool') return () => [{ insert: 'yes' }, { insert: 'no' }];
  const named = known[path];
  return named === undefined ? undefined : () => [...new Set(named.values())].map((insert) => ({ insert }));
}

/** `HOST_STATE` of `HOST_STATE_READY` and `HOST_STATE_FAILED`. */
function commonPrefix([first = '', ...others]: readonly string[]): string {
  const words = first.split('_');
  const shared = words.findIndex((_, index) => !others.every((other) => other.startsWith(`${words.slice(0, index + 1).join('_')}_`)));
  return words.slice(0, shared === -1 ? words.length - 1 : shared).join('_');
}
