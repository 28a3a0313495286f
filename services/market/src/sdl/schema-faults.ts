import type { ValidationError } from '@akashnetwork/chain-sdk';
import { nearest } from '@quartermaster/kernel';
import { type Fault, keysOf, pointer, quoted } from './fault-list.ts';
import { fieldsAt } from './schema-fields.ts';

/** Those of the schema end with the keyword; those of the library's own rules end with what the rule is about. */
export const isOfSchema = ({ schemaPath, keyword }: ValidationError): boolean => schemaPath.endsWith(`/${keyword}`);

/** Fields of the schema that are refused here: nobody should be sent to them. */
const refusedNames = new Set(['include', 'dependencies']);

/** Keywords that only say that one of the others failed. */
const silent = new Set(['if', 'oneOf', 'anyOf', 'allOf']);

const codes: Readonly<Record<string, string>> = {
  required: 'Missing',
  additionalProperties: 'UnknownField',
  type: 'WrongType',
  enum: 'NotAllowed',
  const: 'NotAllowed',
  not: 'NotAllowed',
  contains: 'NotAllowed',
  maxItems: 'NotAllowed',
  minItems: 'NotAllowed',
  pattern: 'BadFormat',
  minLength: 'TooShort',
  minProperties: 'Missing',
  minimum: 'OutOfRange',
  maximum: 'OutOfRange',
  exclusiveMinimum: 'OutOfRange',
};

/** The errors of the schema, one for each place: a value that may be of two types has two errors, and what holds it has more. */
export function schemaFaults(errors: readonly ValidationError[]): Fault[] {
  const byPath = new Map<string, ValidationError[]>();
  for (const error of errors) {
    if (silent.has(error.keyword)) continue;
    const path = pathOf(error);
    byPath.set(path, [...(byPath.get(path) ?? []), error]);
  }
  const paths = [...byPath.keys()];
  const told = [...byPath].filter(
    ([path, found]) => found.some(({ keyword }) => keyword !== 'type') || !paths.some((other) => other.startsWith(`${path}/`)),
  );
  return told.map(([path, found]) => faultAt(path, found));
}

/** Of what is missing or must not be there, rather than of what has it or lacks it. */
function pathOf({ keyword, instancePath, params }: ValidationError): string {
  const name: unknown =
    keyword === 'required' ? params['missingProperty'] : keyword === 'additionalProperties' ? params['additionalProperty'] : undefined;
  return typeof name === 'string' ? instancePath + pointer(name) : instancePath;
}

function faultAt(path: string, errors: readonly ValidationError[]): Fault {
  const rank = ({ keyword }: ValidationError): number => (keyword === 'enum' ? 0 : keyword === 'type' ? 2 : 1);
  const [error] = errors.toSorted((a, b) => rank(a) - rank(b));
  if (error === undefined) throw new TypeError('a place without errors');
  const keys = keysOf(path);
  const field = fieldName(keys);
  const rule = placeRule(error, keys) ?? (error.keyword === 'type' ? typeRule(errors) : ruleOf(error, keys));
  return { path, code: codes[error.keyword] ?? 'Invalid', message: `${field} ${rule}` };
}

/** `port`, `expose[0]`; the SDL for the document. */
function fieldName(keys: readonly string[]): string {
  const at = keys.findLastIndex((key) => !/^[0-9]+$/.test(key));
  const [name, ...indexes] = keys.slice(Math.max(at, 0));
  return name === undefined ? 'the SDL' : `${name.length > 64 ? quoted(name) : name}${indexes.map((index) => `[${index}]`).join('')}`;
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'text, in quotes where it looks like something else',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'a map of fields',
  array: 'a list',
  null: 'left empty',
};

function typeRule(errors: readonly ValidationError[]): string {
  const types = new Set(errors.flatMap(({ keyword, params }) => (keyword === 'type' ? [String(params['type'])] : [])));
  return `must be ${[...types].map((type) => typeWords[type] ?? type).join(', or ')}`;
}

/** Where the keyword alone would not say what to do. */
function placeRule({ keyword, params }: ValidationError, keys: readonly string[]): string | undefined {
  const [last, before] = keys.toReversed();
  if (last === 'global' && keyword !== 'type') return 'must be true where an ip is named';
  if (keyword === 'required') return undefined;
  if (keyword === 'additionalProperties') {
    if (before !== 'endpoints' || keys.length > 2) return undefined;
    return 'is not a name of an endpoint: it must begin with a lower-case letter and have two or more of a-z, 0-9, - and _';
  }
  if (keys.length === 1 && last === 'version') return 'must be "2.0" or "2.1", in quotes';
  if (last === 'amount') return 'must be a plain decimal number that is not negative, such as 1000 or 0.25';
  if (last === 'size') return 'must be a number with a suffix, such as 512Mi or 10Gi';
  if (last === 'units' && before === 'cpu') return 'must be more than 0: cores such as 0.5, or millicores such as 500m';
  if (last === 'denom') return 'must be uakt, uact or the ibc/… of USDC';
  if (last === 'mount') return 'must be an absolute path: begin it with /';
  if (last === 'vendor') return 'must name a vendor: nvidia';
  if (last === 'next_cases' && keyword !== 'type') return 'may hold "off" only alone: remove it or the others';
  if (last === 'attributes' && keyword === 'not')
    return 'are of the class ram and persistent: memory does not persist; choose another class, or remove persistent';
  return params['limit'] === 1 && keyword === 'minLength' ? 'must not be empty' : undefined;
}

function ruleOf({ keyword, params, message }: ValidationError, keys: readonly string[]): string {
  const limit = String(params['limit']);
  switch (keyword) {
    case 'required':
      return 'is missing: add it';
    case 'additionalProperties':
      return unknownRule(keys);
    case 'enum':
      return `must be one of ${(params['allowedValues'] as readonly unknown[]).map(String).join(', ')}`;
    case 'minLength':
      return `must have at least ${limit} characters`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    default:
      return message ?? 'is not allowed';
  }
}

function unknownRule(keys: readonly string[]): string {
  const known = fieldsAt(keys.slice(0, -1)).filter((name) => !refusedNames.has(name));
  const meant = nearest(keys.at(-1) ?? '', known);
  if (known.length === 0) return 'is not a field of SDL here: remove it';
  return `is not a field of SDL here: ${meant === undefined ? `remove it; there are ${known.join(', ')}` : `did you mean ${meant}?`}`;
}
