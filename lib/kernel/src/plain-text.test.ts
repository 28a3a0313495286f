import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { invisible, plainLine } from './plain-text.ts';

describe('a plain line', () => {
  it.each([
    ['two\nlines\r\n', 'two lines'],
    ['\u001b[31mred\u001b[0m and \u001b[2Jgone', 'red and gone'],
    ['\u001b]52;c;Y3VybCBldmls\u0007copied', 'copied'],
    ['\u001b]0;title\u001b\\shown', 'shown'],
    ['turned \u202egnp.exe', 'turned gnp.exe'],
    ['half \ud800', 'half \ufffd'],
    ['  plain, as it was  ', 'plain, as it was'],
  ])('of %j is %j', (text, expected) => {
    expect(plainLine(text)).toBe(expected);
  });

  it('has nothing that is not seen, whatever it was made of, and is the same when made again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        const line = plainLine(text);
        expect(invisible.test(line)).toBe(false);
        expect(plainLine(line)).toBe(line);
      }),
    );
  });
});
