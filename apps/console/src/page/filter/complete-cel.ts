import type { ApiField, KnownValues } from '../../api-field.ts';
import { type Complete, type Completion, type Completions, matching } from './completion.ts';

const path = String.raw`this\.([\w.]+)`;
const afterField = new RegExp(String.raw`${path}\s+$`);
const afterOperator = new RegExp(String.raw`${path}\s*(?:==|!=|<=|>=|<|>)\s*("[^"]*|[\w.]*)$`);
/** A word where an expression can begin. */
const atBeginning = /(?:^|&&|\|\||[(!])\s*([\w.]*)$/;
const afterValue = /(?:"|\b[A-Z][A-Z0-9_]+|\d|\)|\btrue|\bfalse)\s+$/;

/**
 * Completes the API's filter language: fields, then how to compare them, then values, then what joins comparisons. It helps with the plain cases; the
 * API alone knows what is right.
 */
export const completeCel =
  (fields: readonly ApiField[], known: KnownValues): Complete =>
  (text, caret) => {
    const before = text.slice(0, caret);
    const replacing = (typed: string, options: readonly Completion[]): Completions | undefined =>
      options.length === 0 ? undefined : { from: caret - typed.length, to: caret, options };

    const compared = afterOperator.exec(before);
    if (compared !== null) {
      const [, name = '', typed = ''] = compared;
      const field = fields.find((each) => each.path === name);
      return field === undefined ? undefined : replacing(typed, matching(valuesOf(field, known), typed));
    }
    if (isInText(before)) return undefined;
    const named = afterField.exec(before);
    if (named !== null) {
      const field = fields.find((each) => each.path === named[1]);
      return field === undefined ? undefined : replacing('', operatorsOf(field));
    }
    const begun = atBeginning.exec(before);
    if (begun !== null) {
      const [, typed = ''] = begun;
      return replacing(typed, matchingFields(fields, typed));
    }
    return afterValue.test(before) ? replacing('', joints) : undefined;
  };

const joints: readonly Completion[] = [
  { insert: '&& ', label: '&&', note: 'and' },
  { insert: '|| ', label: '||', note: 'or' },
];

/** By their whole path, or by any part of it: `rack` finds `this.spec.rack`. */
function matchingFields(fields: readonly ApiField[], typed: string): readonly Completion[] {
  const options = fields.map((field): Completion & { readonly last: string } => ({
    insert: `this.${field.path}${comparisonOf(field)}`,
    label: `this.${field.path}`,
    last: field.path.split('.').at(-1) ?? '',
    note: noteOf(field),
  }));
  const found = matching(options, typed);
  if (found.some(({ label }) => label === typed)) return [];
  const isExact = ({ last }: { readonly last: string }): boolean => last.startsWith(typed.toLowerCase());
  return typed.startsWith('this') || typed === '' ? found : found.toSorted((a, b) => Number(isExact(b)) - Number(isExact(a)));
}

export function noteOf({ description, type }: ApiField): string {
  const [sentence = ''] = (description ?? '').split(/(?<=\.)\s|\n/);
  return sentence === '' ? type : sentence.replace(/\.$/, '');
}

function comparisonOf({ type }: ApiField): string {
  switch (type) {
    case 'bool':
      return '';
    case 'time':
      return ' > ';
    case 'list':
      return '.exists(each, each == ';
    case 'messages':
      return '.exists(each, each.';
    case 'map':
      return '["';
    case 'text':
    case 'number':
    case 'enum':
      return ' == ';
  }
}

function operatorsOf({ type }: ApiField): readonly Completion[] {
  const equal = ['== ', '!= '];
  const ordered = ['> ', '< ', '>= ', '<= '];
  const texts: Readonly<Record<ApiField['type'], readonly string[]>> = {
    text: equal,
    enum: equal,
    number: [...equal, ...ordered],
    time: ordered,
    bool: ['&& ', '|| '],
    list: [],
    messages: [],
    map: [],
  };
  return texts[type].map((insert) => ({ insert, label: insert.trim() }));
}

function valuesOf({ path: name, type, values }: ApiField, known: KnownValues): readonly Completion[] {
  switch (type) {
    case 'enum':
      return (values ?? []).map((insert) => ({ insert }));
    case 'bool':
      return [{ insert: 'true' }, { insert: 'false' }];
    case 'time':
      return ['1h', '24h', '168h'].map((span) => ({ insert: `now - duration("${span}")`, note: `${span} ago` }));
    case 'text':
      return [
        { insert: '""', note: 'none' },
        ...[...(known[name] ?? [])].map(([value, called]) => ({
          insert: JSON.stringify(value),
          note: called === value ? undefined : called,
        })),
      ];
    case 'number':
    case 'list':
    case 'messages':
    case 'map':
      return [];
  }
}

/** Whether a text has begun that has not ended. */
const isInText = (before: string): boolean => (before.match(/"/g)?.length ?? 0) % 2 === 1;
