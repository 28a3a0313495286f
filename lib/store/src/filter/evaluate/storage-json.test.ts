import { create } from '@bufbuild/protobuf';
import { StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { sampleTypes } from '../../../test/sample-message.ts';
import { microsOfTimestamp, toStorageJson } from './storage-json.ts';

const { object: schema } = sampleTypes();
const stored = (members: object, leftOut?: ReadonlySet<string>): string =>
  toStorageJson(schema, create(schema, members as Record<string, unknown>), leftOut);

describe('the stored form', () => {
  it('keeps every digit, and what JSON has no number for', () => {
    const spec = { big: 2n ** 63n - 1n, huge: 2n ** 64n - 1n, ratio: Number.NaN, score: Number.NEGATIVE_INFINITY, ratios: [0.1, 1e21, -0] };
    expect(stored({ spec })).toBe(
      '{"spec":{"big":9223372036854775807,"huge":18446744073709551615,"ratio":"NaN","score":"-Infinity","ratios":[0.1,1e+21,0]}}',
    );
  });

  it('leaves out what is unset, and keeps what is set to its default', () => {
    expect(
      stored({ spec: { title: '', ratio: -0, maybeText: '', maybeCount: 0n, wrappedText: '', child: {}, texts: [], notes: {} } }),
    ).toBe('{"spec":{"child":{},"wrapped_text":"","maybe_text":"","maybe_count":0}}');
  });

  it('writes times as microseconds, bytes as base64, enums as numbers and keys as text', () => {
    const spec = {
      at: { seconds: -1n, nanos: 999_999_999 },
      lasting: { seconds: -1n, nanos: -999_999_999 },
      blob: new Uint8Array([251, 255]),
      states: [1, -5],
      counts: { '-1': 3 },
      groups: { 'a"b': { size: 1 } },
      choice: { case: 'chosenText', value: 'x' },
    };
    expect(JSON.parse(stored({ spec }))).toEqual({
      spec: {
        at: -1,
        lasting: -1_999_999,
        blob: '+/8=',
        states: [1, -5],
        counts: { '-1': 3 },
        groups: { 'a"b': { size: 1 } },
        chosen_text: 'x',
      },
    });
  });

  it('leaves out the fields that are kept elsewhere', () => {
    const members = { id: 'x', metadata: { name: 'n' }, spec: { title: 't' } };
    expect(stored(members, new Set(['id', 'metadata', 'title']))).toBe('{"spec":{"title":"t"}}');
  });

  it.each([
    [{ spec: { title: 'a\0b' } }, 'field "spec.title": contains U+0000'],
    [{ spec: { texts: ['ok', '\ud800'] } }, 'field "spec.texts[1]": contains half of a surrogate pair'],
    [{ spec: { notes: { '\0': 'x' } } }, 'contains U+0000'],
    [{ spec: { children: [{ notes: { a: '\0' } }] } }, 'field "spec.children[0].notes["a"]": contains U+0000'],
  ])('refuses text that cannot be stored, naming the field', (members, message) => {
    const write = (): string => stored(members);
    expect(write).toThrow(StatusError);
    expect(write).toThrow(message);
  });

  it('rounds a point in time down', () => {
    expect(microsOfTimestamp({ seconds: 0n, nanos: 999 })).toBe(0n);
    expect(microsOfTimestamp({ seconds: -1n, nanos: 999_999_999 })).toBe(-1n);
  });
});
