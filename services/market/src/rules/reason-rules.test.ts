import { fieldViolationsOf } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { reasonOf } from './reason-rules.ts';

describe('a reason', () => {
  it('is what the caller says, or what is said for who says nothing', () => {
    expect(reasonOf(' too dear ', 'closed')).toBe('too dear');
    expect(reasonOf('  ', 'closed')).toBe('closed');
  });

  it.each(['a\0b', 'two\nlines', 'copies \u001b]52;c;ZXZpbA==\u0007', 'turns \u202e round', 'x'.repeat(257)])('is not %j', (given) => {
    const thrown = (() => {
      try {
        return reasonOf(given, 'closed');
      } catch (error) {
        return error;
      }
    })();
    expect(fieldViolationsOf(thrown).map(({ field }) => field)).toEqual(['reason']);
  });
});
