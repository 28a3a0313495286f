import { create } from '@bufbuild/protobuf';
import { codeOf, fieldViolationsOf, messageOf } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { sampleTypes } from '../../test/sample-message.ts';
import { compileFilter } from './compile-filter.ts';
import type { FilterOptions } from './contract/filter.ts';

const types = sampleTypes();
const options: FilterOptions = {
  roots: [{ variable: 'this', message: types.object, hidden: (path) => path.join('.') === 'spec.secret' || path[2] === 'ratio' }],
};
const now = new Date('2026-03-01T12:00:00Z');
const object = create(types.object, {
  id: 'host-1',
  metadata: { name: 'one', version: 7n, labels: { team: 'a', 'k-1': 'v' }, tenants: ['red', 'blue'] },
  spec: {
    title: 'Größe \u{1f600}',
    count: -7,
    big: 2n ** 63n - 1n,
    huge: 2n ** 64n - 1n,
    score: Number.NaN,
    ratio: 2.5,
    blob: new Uint8Array([1, 2]),
    state: 1,
    at: { seconds: 1_767_225_600n, nanos: 123_456_789 },
    lasting: { seconds: 90n, nanos: 0 },
    wrappedCount: 5n,
    maybeText: '',
    choice: { case: 'chosenChild', value: { title: 'chosen' } },
    texts: ['x', 'y', 'x'],
    numbers: [0n, 4n],
    children: [{ title: 'first', tags: ['t'] }, { title: 'second' }],
    counts: { '-1': 10 },
    switches: { true: 1.5 },
    groups: { workers: { size: 3, tags: ['gpu'] } },
  },
});

const holds = (text: string): boolean => compileFilter(text, options).matches({ this: object }, now);

function refusal(text: string, extra: Partial<FilterOptions> = {}): string {
  try {
    compileFilter(text, { ...options, ...extra });
  } catch (thrown) {
    expect(codeOf(thrown)).toBe('invalid_argument');
    expect(fieldViolationsOf(thrown)).toHaveLength(1);
    return messageOf(thrown);
  }
  throw new Error(`${text} was accepted`);
}

describe('a filter', () => {
  it.each([
    ['this.id == "host-1"', '!(this.id == "host-2")'],
    ['this.spec.count + 3 == -4', 'this.spec.count / 2 == -3', 'this.spec.count % 2 == -1', '-this.spec.count == 7', '2 - 3 * 4 == -10'],
    [
      'this.spec.title.startsWith("Gr")',
      'this.spec.title.endsWith("\\U0001F600")',
      'this.spec.title.contains("öß")',
      'size(this.spec.title) == 7',
    ],
    ['this.spec.title.matches("^Gr..e .$")', 'this.spec.title.matches("ö")', '!this.spec.title.matches("^\\\\w+$")', 'matches("ab", "b$")'],
    ['this.spec.title < "H"', '"\\U0001F600" > "\\uffee"', '"a" + "b" == "ab"', 'this.spec.title.size() == 7'],
    [
      'this.spec.state == STATE_READY',
      'this.spec.state == 1',
      'this.spec.state == sample.State.STATE_READY',
      'this.spec.state in [STATE_READY, 5]',
      'State.STATE_LOST == sample.STATE_LOST',
    ],
    [
      '"red" in this.metadata.tenants',
      '!("green" in this.metadata.tenants)',
      '4 in this.spec.numbers',
      '"team" in this.metadata.labels',
      '-1 in this.spec.counts',
      'true in this.spec.switches',
    ],
    [
      'this.metadata.labels["team"] == "a"',
      'this.metadata.labels.team == "a"',
      'this.spec.counts[-1] == 10',
      'this.spec.texts[1] == "y"',
      'this.spec.groups["workers"].tags[0] == "gpu"',
    ],
    [
      'has(this.spec)',
      'has(this.spec.chosen_child)',
      '!has(this.spec.chosen_text)',
      'has(this.spec.maybe_text)',
      '!has(this.spec.maybe_count)',
      'has(this.metadata.labels.team)',
      '!has(this.spec.child.child.title)',
    ],
    [
      'this.spec.child == null',
      'this.spec.at != null',
      'null != this.spec.at',
      'this.spec.wrapped_text == null',
      'this.spec.wrapped_text != "x"',
      'this.spec.wrapped_count == 5',
    ],
    [
      'this.spec.score != this.spec.score',
      '!(this.spec.score < 1.0)',
      '!(this.spec.score >= 1.0)',
      'this.spec.ratio > 2',
      '2 < this.spec.ratio',
      'this.spec.big < 1e30',
    ],
    [
      'this.spec.huge > 5',
      'this.spec.huge == 18446744073709551615u',
      'this.spec.big == 9223372036854775807',
      'int(this.spec.ratio) == 2',
      'int("-12") == -12',
      'double("1.5") == 1.5',
      'string(-7) == "-7"',
      'uint(5) == 5u',
    ],
    [
      'this.spec.at == timestamp("2026-01-01T00:00:00.123456Z")',
      'this.spec.at < now',
      'now - this.spec.at > duration("1h")',
      'this.spec.lasting == duration("1m30s")',
      'int(this.spec.at) == 1767225600',
      'this.spec.at + duration("1us") > this.spec.at',
    ],
    [
      "this.spec.blob == b'\\x01\\x02'",
      "this.spec.blob < b'\\x02'",
      'size(this.spec.blob) == 2',
      'this.spec.blob != this.spec.blobs[0] || true',
    ],
    [
      'this.spec.texts.exists(t, t == "y")',
      'this.spec.texts.all(t, t != "")',
      'this.spec.texts.exists_one(t, t == "y")',
      '!this.spec.texts.exists_one(t, t == "x")',
      'this.spec.children.exists(c, c.title == "first" && "t" in c.tags)',
      'this.metadata.labels.exists(k, k == "team")',
    ],
    ['this.spec.flag ? false : true', '(this.spec.count > 0 ? "a" : "b") == "b"', '"a" in ["a", "b"]', '!("a" in [])', 'true', '!false'],
  ])('holds: %s', (...texts) => {
    expect(texts.filter((text) => !holds(text))).toEqual([]);
  });

  it('takes an unset field for its default', () => {
    const unset = create(types.object, { id: 'x' });
    const texts = [
      'this.spec.title == ""',
      'this.spec.child.child.size == 0',
      'this.spec.at == timestamp("1970-01-01T00:00:00Z")',
      'size(this.spec.texts) == 0',
      '!this.spec.flag',
      '!has(this.spec)',
      '!has(this.spec.child.title)',
      'this.spec.state == STATE_UNKNOWN',
      'this.spec.chosen_text == ""',
      "this.spec.blob == b''",
    ];
    expect(texts.filter((text) => !compileFilter(text, options).matches({ this: unset }, now))).toEqual([]);
  });

  it.each([
    'this.metadata.labels["none"] == "a"',
    'this.spec.texts[3] == "x"',
    'this.spec.texts[-1] == "x"',
    '1 / this.spec.numbers[0] == 1',
    'this.spec.big + 1 > 0',
    'this.spec.huge + 1u > 0u',
    'int(this.spec.title) == 1',
    'int(1e300) == 1',
    'uint(-1) == 1u',
    'this.spec.score + 1.0 > 0.0',
    'this.spec.at + duration("87600000h") > now',
    'this.spec.wrapped_text < "x"',
    'this.spec.groups["none"].size == 0',
    '10 / 0 == 1',
  ])('is unknown, and so is its opposite: %s', (text) => {
    expect([holds(text), holds(`!(${text})`), holds(`(${text}) || true`), holds(`!((${text}) && false)`)]).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(holds(`(${text}) ? true : true`)).toBe(false);
  });

  it.each([
    ['', 'field "filter": at character 1: is not valid CEL: Unexpected token: EOF'],
    ['this.id = "x"', 'field "filter": at character 9: use == to compare'],
    ['this.spec.titel == "a"', 'field "filter": at character 11: there is no field "titel" in spec; did you mean "title"?'],
    ['this.spec.title', 'field "filter": at character 11: the filter must be true or false, not string: compare it with something'],
    ['this.spec.title == 5', '== cannot compare string with int: convert with string(), int() or double()'],
    ['this.spec.state == "STATE_READY"', '== cannot compare enum State with string: write the value of the enum without quotes'],
    ['this.spec.at > "2026-01-01"', "> cannot compare timestamp with string: write timestamp('2026-01-31T12:00:00Z')"],
    [
      'timestamp("2026-02-30T00:00:00Z") < now',
      '"2026-02-30T00:00:00Z" is not a valid timestamp: write one such as 2026-01-31T12:00:00Z, of the years 1 to 9999',
    ],
    [
      'duration("1 hour") == this.spec.lasting',
      '"1 hour" is not a valid duration: write one such as 1h30m or 1.5s, of at most 10 000 years',
    ],
    ['this.spec.state == STATE_REDY', 'there is no name "STATE_REDY"; did you mean "STATE_READY"?'],
    ['thiz.id == ""', 'there is no name "thiz"; did you mean "this"?'],
    ['spec.title == "a"', 'at character 1: there is no name "spec"; did you mean "this.spec"?'],
    ['elsewhere.title == "a"', 'there is no name "elsewhere"; there are this, now'],
    ['this.metadata.elsewhere == "a"', 'there is no field "elsewhere" in metadata; it has name, version, creation_timestamp,'],
    ['this.id.startWith("a")', 'there is no function "startWith"; did you mean "startsWith"?'],
    ['this.id.startsWith()', 'startsWith() takes 2 operands, not 1'],
    ['this.spec == this.spec', '== cannot compare message Spec with message Spec: compare its fields'],
    ['this.spec.texts == this.spec.texts', 'use in, size(), exists() or all()'],
    ['this.id == null', 'a string is never null: compare it with its default, or ask has()'],
    ['has(this)', 'has() needs one field: has(this.spec)'],
    ['this.spec.payload.type_url == ""', 'the fields of google.protobuf.Any cannot be used in a filter, only its presence with has()'],
    ['this.spec.title && true', 'each side of && must be true or false, not string'],
    ['1 + 1.5 > 2.0', '+ does not work on int and double: convert one of them with int(), uint() or double()'],
    ['"a\\u0000b" == this.id', 'contains U+0000, which cannot be stored'],
    ['9223372036854775808 > 1', 'the integer "9223372036854775808" does not fit into 64 bits'],
    ['this.spec.counts["a"] == 1', 'the keys of this map are int, not string'],
    ['[1] == [1]', 'a list is only allowed after in'],
    ['this.id.matches(this.id)', 'matches() needs its pattern as a string literal'],
    ['this.id.matches("(?i)a")', 'has a group other than ( and (?:'],
    ['this.id.matches("(a)\\\\1")', 'has the escape \\1, which does not mean the same everywhere'],
    ["this.spec.blob == b'ä'", 'write its bytes as \\x escapes'],
    ['this.spec.texts.exists(a, this.spec.texts.exists(b, this.spec.texts.exists(c, a == b)))', 'is within more than one other'],
  ])('is refused with the place, the rule and the way out: %s', (text, message) => {
    expect(refusal(text)).toContain(message);
  });

  it('is refused when it is too large, too deep, or no text', () => {
    const refused: readonly (readonly [text: string, message: string])[] = [
      ['this.id == "\u0000"', 'contains U+0000, which cannot be stored'],
      ['this.id == "\ud800"', 'contains half of a surrogate pair'],
      [`${'('.repeat(400)}true${')'.repeat(400)}`, 'Exceeded maxDepth'],
      [`${'!'.repeat(60)}true`, 'is nested deeper than 50 levels'],
      [`${'!'.repeat(60_000)}true`, 'is nested deeper than 50 levels'],
      [`${'-'.repeat(60_000)}1 > 0`, 'is nested deeper than 50 levels'],
      ['1 + '.repeat(60).concat('1 > 0'), 'is nested deeper than 50 levels'],
      ['true && '.repeat(6000).concat('true'), 'has more than 5000 parts'],
      ['a'.repeat(70_000), 'has 70000 characters, at most 65536 are allowed'],
    ];
    for (const [text, message] of refused) expect(refusal(text)).toContain(message);
  });

  it('does not tell a hidden field from one that never was', () => {
    const [hidden, none] = [refusal('this.spec.secret == "a"'), refusal('this.spec.sekret == "a"')];
    expect(hidden.replace('secret', 'sekret')).toBe(none);
    expect(refusal('has(this.spec.secret)')).toBe(refusal('has(this.spec.sekret)').replace('sekret', 'secret'));
    expect(refusal('this.spec.children.exists(c, c.ratio > 1.0)')).toContain('there is no field "ratio" in spec.children');
    expect(refusal('this.spec.groups["a"].ratio > 1.0')).toContain('there is no field "ratio" in spec.groups');
  });

  it('names the field of the request that it came in', () => {
    expect(refusal('1', { field: 'rule' })).toContain('field "rule": ');
  });

  it('sees several roots', () => {
    const filter = compileFilter('one.id != two.id', { roots: ['one', 'two'].map((variable) => ({ variable, message: types.object })) });
    expect(filter.matches({ one: object, two: create(types.object, { id: 'x' }) }, now)).toBe(true);
    expect(filter.matches({ one: object, two: object }, now)).toBe(false);
  });
});
