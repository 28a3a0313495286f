import { create } from '@bufbuild/protobuf';
import { codeOf } from '@quartermaster/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expressions } from '../../test/sample-expressions.ts';
import { sampleTypes } from '../../test/sample-message.ts';
import { compileFilter } from './compile-filter.ts';
import { compileOrder } from './compile-order.ts';
import { SqlParameters } from './contract/sql-parameters.ts';

const types = sampleTypes();
const object = create(types.object, { id: 'x' });
const now = new Date('2026-03-01T12:00:00Z');

/** Compiles and asks it; true when that worked, false when it was refused properly. Anything else is thrown. */
function survives(text: string): boolean {
  try {
    const filter = compileFilter(text, { roots: [{ variable: 'this', message: types.object }] });
    filter.matches({ this: object }, now);
    filter.toSql({ json: 'data', column: () => undefined }, new SqlParameters());
    return true;
  } catch (thrown) {
    if (codeOf(thrown) !== 'invalid_argument') throw thrown;
    return false;
  }
}

describe('a hostile filter', () => {
  it('is refused or answered, never an error', () => {
    const corpus = [
      ...[
        '__proto__',
        'constructor',
        'this.__proto__',
        'this.constructor.name == ""',
        'this.spec.constructor == 1',
        'toString()',
        'this.toString()',
      ],
      ...[
        'this.spec.notes["__proto__"] == "x"',
        'this.spec.notes.constructor == "x"',
        '"__proto__" in this.spec.notes',
        'has(this.spec.notes.__proto__)',
      ],
      ...[
        'dyn(this) == 1',
        'type(this) == string',
        'cel.bind(x, 1, x == 1)',
        'this.spec.texts.map(x, x) == []',
        'this.spec.texts.filter(x, true).size() > 0',
      ],
      ...[
        'this',
        'now',
        'null',
        '1',
        '""',
        'this == this',
        'null == null',
        'null < null',
        '!null',
        '-""',
        '-true',
        '-now',
        '!1',
        'this.spec == null || null',
      ],
      ...[
        'this[0]',
        'this["spec"]',
        'this.spec.texts["a"] == ""',
        'this.spec.texts[1.5] == ""',
        'this.spec.texts[null] == ""',
        'this.spec.notes[null] == ""',
      ],
      ...[
        'has()',
        'has(1)',
        'has(this)',
        'has(this.spec, this.spec)',
        'has(now.x)',
        'size()',
        'size(1)',
        'size(null) == 0',
        'matches()',
        'this.id.matches()',
      ],
      ...[
        'this.spec.texts.exists()',
        'this.spec.texts.exists(x)',
        'this.spec.texts.exists(1, true)',
        'this.spec.texts.exists(this, this == "a")',
        'now.exists(x, true)',
      ],
      ...[
        'exists(x, true)',
        'this.spec.texts.exists(x, x)',
        'this.spec.texts.all(x, null)',
        '1 in 1',
        '1 in null',
        'null in [1]',
        'null in [null]',
        '1 in [null]',
      ],
      ...[
        'true ? null : null',
        'true ? 1 : "a"',
        'true ? this : this',
        'true ? this.spec.texts : this.spec.texts',
        '(true ? 1 : 2) == 1',
        'this.spec.child == null ? true : false',
      ],
      ...[
        '1/0 == 1',
        '1%0 == 1',
        '-9223372036854775808 / -1 == 0',
        '-(-9223372036854775808) == 0',
        '1.0/0.0 == 1.0',
        '9223372036854775807 + 1 == 0',
        '0u - 1u == 0u',
      ],
      ...[
        'timestamp(1) == now',
        'timestamp("") == now',
        'duration("") == duration("0s")',
        'duration("99999999999999999999h") == duration("0s")',
        'timestamp("9999-12-31T23:59:59-23:59") == now',
      ],
      ...[
        '"\\ud800" == ""',
        "b'\\u0041' == b''",
        "'\\400' == ''",
        "r'\\' == ''",
        '"""a\nb""" == ""',
        '0x == 1',
        '1e999 == 1.0',
        '1.e5 == 1.0',
        '5uu == 5u',
      ],
      ...[
        '// comment',
        'true // comment',
        '/* */ true',
        'true;',
        'true)',
        '(true',
        '[',
        '{',
        '{}',
        '{1: 2} == {1: 2}',
        'a{b: 1}',
        '.this.id == ""',
        'this..id',
        'this.',
        '.',
        '#',
        '\\',
        '`this`',
      ],
      ...[
        '',
        ' ',
        '\n',
        '\t\ttrue\r\n',
        '\u00a0true',
        'true\u2028',
        '\ufefftrue',
        '\0',
        'т',
        '你好 == "a"',
        'this.spec.титул == ""',
        '"\u{1f600}" == this.id',
      ],
      '(((((((((('.repeat(1000),
      '[[[[[[[[[['.repeat(1000),
      'a.'.repeat(10_000),
      'a['.repeat(10_000),
      '!'.repeat(50_000),
      '-'.repeat(50_000),
      'true?'.repeat(5000),
      '"'.repeat(999),
      `${'true ? '.repeat(300)}true${' : true'.repeat(300)}`,
      `${'this.spec.child.'.slice(10).repeat(300)}x`,
      `this.spec${'.child'.repeat(200)}.title == ""`,
    ];
    const accepted = corpus.filter(survives);
    expect(accepted).toContain('"__proto__" in this.spec.notes');
    expect(accepted.length).toBeLessThan(corpus.length / 3);
  });

  it('of any text at all is refused or answered', () => {
    const tokens = [
      'this',
      '.',
      'spec',
      'title',
      '(',
      ')',
      '[',
      ']',
      '==',
      '&&',
      '||',
      '!',
      '-',
      '"a"',
      '1',
      '1u',
      '1.5',
      'null',
      'in',
      'has',
      'size',
      'now',
      '?',
      ':',
      ',',
      'exists',
      'x',
      '{',
      '}',
    ];
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(fc.constantFrom(...tokens), { maxLength: 20 }).map((all) => all.join(' ')),
        ),
        (text) => {
          expect([true, false]).toContain(survives(text));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('that was almost right is refused or answered', () => {
    fc.assert(
      fc.property(
        expressions(),
        fc.nat(),
        fc.constantFrom('', '(', ')', '"', '.', '!', 'null', '\\', '\0', '1', '/'),
        fc.nat(3),
        (text, at, inserted, removed) => {
          const place = at % (text.length + 1);
          expect([true, false]).toContain(survives(text.slice(0, place) + inserted + text.slice(place + removed)));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('has an order as hostile as itself refused', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', 'constructor', 'id.length', 'spec.__proto__ desc')),
        (text) => {
          try {
            compileOrder(text, { message: types.object });
          } catch (thrown) {
            expect(codeOf(thrown)).toBe('invalid_argument');
          }
        },
      ),
    );
    expect(() => compileOrder('constructor', { message: types.object })).toThrow('there is no field "constructor"');
  });
});
