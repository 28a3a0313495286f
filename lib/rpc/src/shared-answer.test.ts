import { create, fromBinary } from '@bufbuild/protobuf';
import { StringValueSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from 'vitest';
import { encodeAnswer, sharedAnswer } from './shared-answer.ts';

describe('an answer', () => {
  it('that is shared is encoded once', () => {
    const answer = sharedAnswer(StringValueSchema, { value: 'news' });
    const bytes = encodeAnswer(StringValueSchema, answer);
    expect(fromBinary(StringValueSchema, bytes).value).toBe('news');
    expect(encodeAnswer(StringValueSchema, answer)).toBe(bytes);
  });

  it('of one call is encoded as it is at the time', () => {
    const answer = create(StringValueSchema, { value: 'first' });
    encodeAnswer(StringValueSchema, answer);
    answer.value = 'second';
    expect(fromBinary(StringValueSchema, encodeAnswer(StringValueSchema, answer)).value).toBe('second');
  });
});
