import type { ApiField, KnownValues } from '../api-field.ts';
import { celText } from './cel-text.ts';
import { isExpression, parseTerms, type Term } from './terms.ts';

/** Fields in which a word is looked for, by the last part of their path. */
const wordFields = [
  'id',
  'name',
  'title',
  'serial',
  'rack',
  'boot_mac',
  'boot_ip',
  'namespace',
  'ip',
  'alias',
  'actor',
  'object_name',
  'outcome',
];

const lastOf = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

/** key -> field: by the last part of its path, where that names one field alone or the shallowest of several. */
export function fieldKeys(fields: readonly ApiField[]): ReadonlyMap<string, ApiField> {
  const keys = new Map<string, ApiField>();
  const usable = fields.filter(({ type }) => type !== 'messages' && type !== 'map' && type !== 'time');
  for (const field of usable) if (!keys.has(lastOf(field.path))) keys.set(lastOf(field.path), field);
  return keys;
}

/** A filter as somebody typed it, in the API's own language: expressions are left as they are. */
export function objectFilter(query: string, fields: readonly ApiField[], known: KnownValues): string {
  if (query.trim() === '' || isExpression(query)) return query;
  const keys = fieldKeys(fields);
  return parseTerms(query, [...keys.keys()])
    .map((term) => (term.key === undefined ? wordTest(term.text, fields) : keyTest(term, keys.get(term.key), known)))
    .join(' && ');
}

function wordTest(text: string, fields: readonly ApiField[]): string {
  const tests = fields
    .filter(({ path, type }) => type === 'text' && wordFields.includes(lastOf(path)))
    .map(({ path }) => textTest(path, text, false));
  return `(${tests.join(' || ')})`;
}

function keyTest({ text, isWhole }: Term, field: ApiField | undefined, known: KnownValues): string {
  if (field === undefined) return 'true';
  const { path, type, values = [] } = field;
  switch (type) {
    case 'enum': {
      const wanted = text.toUpperCase().replaceAll(/[\s-]/g, '_');
      const found = values.filter((value) => value.endsWith(`_${wanted}`) || value === wanted);
      return `this.${path} in [${(found.length === 0 ? [text] : found).join(', ')}]`;
    }
    case 'bool':
      return `this.${path} == ${['yes', 'true'].includes(text.toLowerCase())}`;
    case 'number':
      return `this.${path} == ${/^-?\d+$/.test(text) ? text : celText(text)}`;
    case 'list':
      return isWhole ? `this.${path}.exists(each, each == ${celText(text)})` : `this.${path}.exists(each, each.contains(${celText(text)}))`;
    case 'text':
    case 'time':
    case 'messages':
    case 'map':
      return `(${[textTest(path, text, isWhole), ...namedTest(path, text, known)].join(' || ')})`;
  }
}

/** Where a field holds the id of an object, people say its name. */
function namedTest(path: string, text: string, known: KnownValues): readonly string[] {
  const ids = [...(known[path] ?? [])].filter(([, name]) => name.includes(text)).map(([id]) => celText(id));
  return text === '' || ids.length === 0 ? [] : [`this.${path} in [${ids.join(', ')}]`];
}

/** The language tells small letters from capital ones: a text is looked for as it was typed, and in either. */
function textTest(path: string, text: string, isWhole: boolean): string {
  const spellings = [...new Set([text, text.toLowerCase(), text.toUpperCase()])].map(celText);
  if (isWhole) return `this.${path} in [${spellings.join(', ')}]`;
  return spellings.map((spelling) => `this.${path}.contains(${spelling})`).join(' || ');
}
