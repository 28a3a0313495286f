/** Random well-typed expressions over sample objects, each evaluated with the variable `this`. */
import fc, { type Arbitrary } from 'fast-check';
import { doubles, ints, keys, texts } from './sample-values.ts';

const quote = (text: string): string => JSON.stringify(text).replaceAll('\u{7f}', '\\x7f');
const oneOf = (...choices: readonly string[]): Arbitrary<string> => fc.constantFrom(...choices);
const key = fc.constantFrom(...keys).map(quote);

/** Each `%` of the template is replaced by the next part. */
function fill(template: string, ...parts: readonly Arbitrary<string>[]): Arbitrary<string> {
  const pieces = template.split('%');
  return fc.tuple(...parts).map((values) => pieces.map((piece, i) => piece + (values[i] ?? '')).join(''));
}

const patterns = [
  'a',
  '^a',
  'b$',
  '^$',
  'a.b',
  '[a-f]+',
  '^[^a]*$',
  'a|b|12',
  '(a|b)+',
  '\\\\d{2}',
  '\\\\w\\\\W',
  '^\\\\s?$',
  '[é-ÿ]',
  'a{0,2}b',
  '(?:ab?)*$',
  '\\\\.',
  '\u{1f600}',
  '\\\\D',
  '[\\\\d-]',
];
const moments = [
  '1970-01-01T00:00:00Z',
  '2026-01-01T00:00:00+01:00',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999Z',
  '1969-12-31T23:59:59.000001Z',
];
const spans = ['0s', '1h', '-1.5s', '1us', '87600000h'];
const compareOperators = oneOf('==', '!=', '<', '<=', '>', '>=');
const equalOperators = oneOf('==', '!=');

export function expressions(): Arbitrary<string> {
  return fc.letrec((loose) => {
    const tie = (kind: string): Arbitrary<string> => loose(kind) as Arbitrary<string>;
    const [bool, string, int, uint, double] = [tie('bool'), tie('string'), tie('int'), tie('uint'), tie('double')];
    const [timestamp, duration, bytes, child] = [tie('timestamp'), tie('duration'), tie('bytes'), tie('child')];
    const compared = [string, int, uint, double, timestamp, duration, bytes, bool].map((kind) =>
      fill('(% % %)', kind, compareOperators, kind),
    );
    const nested = { depthSize: 'small', maxDepth: 4, withCrossShrink: true } as const;
    return {
      bool: fc.oneof(
        nested,
        oneOf(
          'true',
          'this.spec.flag',
          'this.spec.marked',
          '!has(this.metadata.deletion_timestamp)',
          '(this.metadata.deletion_timestamp == null)',
        ),
        ...compared,
        ...compared,
        fill('(% % %)', int, compareOperators, double),
        fill('(% % %)', uint, compareOperators, int),
        fill('has(%)', present()),
        fill('(% && %)', bool, bool),
        fill('(% || %)', bool, bool),
        fill('!%', bool),
        fill('(% ? % : %)', bool, bool, bool),
        fill('%.%(%)', string, oneOf('contains', 'startsWith', 'endsWith'), string),
        fill('%.matches("%")', string, oneOf(...patterns)),
        fill('(% in [%, %, %])', string, ...Array.from({ length: 3 }, () => literal(texts))),
        fill('(% in [%, %])', int, intLiteral(), int),
        fill('(% in this.spec.texts)', string),
        fill('(% in this.metadata.tenants)', string),
        fill('(% in this.spec.numbers)', int),
        fill('(% in this.spec.ratios)', double),
        fill('(% in this.spec.blobs)', bytes),
        fill('(% in this.spec.moments)', timestamp),
        fill('(% in this.spec.states)', int),
        fill('(% in this.%)', string, oneOf('metadata.labels', 'spec.notes', 'spec.groups', 'spec.child.notes')),
        fill('(% in this.spec.counts)', int),
        fill('(% in this.spec.switches)', bool),
        fill('(this.spec.wrapped_text % %)', equalOperators, string),
        fill('(this.spec.wrapped_count % %)', equalOperators, int),
        fill('(this.spec.wrapped_count % null)', equalOperators),
        fill('this.spec.texts.%(x, (x % %) || %)', quantifier(), compareOperators, string, bool),
        fill('this.metadata.tenants.%(x, x.startsWith(%))', quantifier(), string),
        fill('this.spec.numbers.%(x, % / x > 0)', quantifier(), int),
        fill('this.spec.ratios.%(x, x % %)', quantifier(), compareOperators, double),
        fill('this.spec.moments.%(x, x % %)', quantifier(), compareOperators, timestamp),
        fill(
          'this.spec.children.%(x, x.title % % && x.tags.%(y, y % x.title))',
          quantifier(),
          compareOperators,
          string,
          quantifier(),
          equalOperators,
        ),
        fill('this.spec.children.%(x, x.title % %)', quantifier(), compareOperators, string),
        fill('this.spec.children.%(x, x.title.%(%))', quantifier(), oneOf('contains', 'startsWith', 'endsWith'), string),
        fill('this.spec.children.%(x, x.notes[%] % %)', quantifier(), key, compareOperators, string),
        fill('this.spec.groups.%(x, this.spec.groups[x].size % %)', quantifier(), compareOperators, int),
        fill('this.spec.counts.%(x, x % % && this.spec.counts[x] > 0)', quantifier(), compareOperators, int),
      ),
      string: fc.oneof(
        nested,
        literal(texts),
        oneOf('this.id', 'this.metadata.name', 'this.spec.title', 'this.spec.class', 'this.spec.maybe_text', 'this.spec.chosen_text'),
        oneOf('this.spec.wrapped_text', 'this.spec.chosen_child.title', 'this.spec.child.child.title'),
        fill('%.title', child),
        fill('this.%[%]', oneOf('metadata.labels', 'spec.notes', 'spec.child.notes'), key),
        fill('this.spec.notes[%]', string),
        fill('%[%]', oneOf('this.spec.texts', 'this.metadata.tenants'), int),
        fill('(% + %)', string, string),
        fill('string(%)', fc.oneof(int, uint, bool)),
        fill('(% ? % : %)', bool, string, string),
      ),
      int: fc.oneof(
        nested,
        intLiteral(),
        oneOf(
          'this.spec.count',
          'this.spec.big',
          'this.spec.zigzag',
          'this.metadata.version',
          'this.spec.state',
          'STATE_READY',
          'this.spec.maybe_count',
        ),
        oneOf('this.spec.wrapped_count', 'sample.State.STATE_LOST'),
        fill('%.size', child),
        fill('(% % %)', int, oneOf('+', '-', '*', '/', '%'), int),
        fill('-(%)', int),
        fill('this.spec.counts[%]', int),
        fill('this.spec.numbers[%]', int),
        fill(
          'size(%)',
          fc.oneof(
            string,
            bytes,
            oneOf('this.spec.texts', 'this.metadata.tenants', 'this.metadata.labels', 'this.spec.groups', 'this.spec.children'),
          ),
        ),
        fill('int(%)', fc.oneof(string, uint, double, timestamp)),
        fill('(% ? % : %)', bool, int, int),
      ),
      uint: fc.oneof(
        nested,
        oneOf('0u', '1u', '18446744073709551615u', 'this.spec.small', 'this.spec.huge'),
        fill('(% % %)', uint, oneOf('+', '-', '*', '/', '%'), uint),
        fill('uint(%)', fc.oneof(int, string)),
      ),
      double: fc.oneof(
        nested,
        fc.constantFrom(...doubles).map((value) => (Number.isInteger(value) && Math.abs(value) < 1e21 ? value.toFixed(1) : String(value))),
        oneOf('this.spec.ratio', 'this.spec.score', 'this.spec.single'),
        fill('%.ratio', child),
        fill('(% % %)', double, oneOf('+', '-', '*', '/'), double),
        fill('-(%)', double),
        fill('this.spec.switches[%]', bool),
        fill('this.spec.ratios[%]', int),
        fill('double(%)', fc.oneof(int, uint, string)),
        fill('(% ? % : %)', bool, double, double),
      ),
      timestamp: fc.oneof(
        nested,
        oneOf(...moments).map((text) => `timestamp('${text}')`),
        oneOf('now', 'this.spec.at', 'this.metadata.creation_timestamp', 'this.metadata.deletion_timestamp', 'this.spec.moments[0]'),
        fill('(% % %)', timestamp, oneOf('+', '-'), duration),
        fill('(% + %)', duration, timestamp),
      ),
      duration: fc.oneof(
        nested,
        oneOf(...spans).map((text) => `duration('${text}')`),
        oneOf('this.spec.lasting'),
        fill('(% % %)', duration, oneOf('+', '-'), duration),
        fill('(% - %)', timestamp, timestamp),
        fill('-(%)', duration),
      ),
      bytes: fc.oneof(nested, oneOf("b'a'", "b'\\x00\\xff'", "b''", 'this.spec.blob'), fill('this.spec.blobs[%]', int)),
      child: fc.oneof(
        nested,
        oneOf('this.spec.child', 'this.spec.child.child', 'this.spec.chosen_child'),
        fill('this.spec.groups[%]', key),
        fill('this.spec.children[%]', int),
      ),
    };
  }).bool;
}

function present(): Arbitrary<string> {
  const metadata = ['name', 'version', 'creation_timestamp', 'deletion_timestamp', 'tenants', 'labels'].map(
    (name) => `this.metadata.${name}`,
  );
  const simple = ['title', 'class', 'big', 'huge', 'ratio', 'score', 'flag', 'marked', 'blob', 'state', 'at', 'lasting', 'payload'];
  const other = [
    'child',
    'wrapped_text',
    'maybe_text',
    'maybe_count',
    'chosen_text',
    'chosen_child',
    'texts',
    'children',
    'notes',
    'groups',
  ];
  const deep = ['child.title', 'child.child', 'child.child.size', 'groups["a"].child', 'children[1].title', 'notes.a', 'chosen_child.tags'];
  return oneOf('this.id', 'this.metadata', 'this.spec', ...metadata, ...[...simple, ...other, ...deep].map((name) => `this.spec.${name}`));
}

function quantifier(): Arbitrary<string> {
  return oneOf('exists', 'all', 'exists_one');
}

function literal(from: readonly string[]): Arbitrary<string> {
  return fc.constantFrom(...from).map(quote);
}

function intLiteral(): Arbitrary<string> {
  return fc.constantFrom(...ints).map(String);
}
