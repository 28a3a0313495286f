import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeChangeBody, encodeChangeBody } from './change-body.ts';

const bytes = fc.uint8Array({ maxLength: 300 });

describe('the body of a change', () => {
  it('gives back what was put in', () => {
    fc.assert(
      fc.property(bytes, fc.option(bytes, { nil: undefined }), (object, before) => {
        const body = before === undefined ? { object } : { object, before };
        const read = decodeChangeBody(Buffer.concat([Buffer.from('x'), encodeChangeBody(body)]).subarray(1));
        expect([...read.object]).toEqual([...object]);
        expect(read.before === undefined ? undefined : [...read.before]).toEqual(before === undefined ? undefined : [...before]);
      }),
    );
  });

  it.each([[[]], [[2, 1]], [[1, 0, 0]], [[1, 0, 0, 0, 9, 1]]])('is refused when it has no known form: %j', (content) => {
    expect(() => decodeChangeBody(Uint8Array.from(content))).toThrow('unknown format');
  });
});
