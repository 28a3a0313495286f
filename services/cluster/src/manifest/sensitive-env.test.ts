import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSensitive } from './sensitive-env.ts';

const usual = ['*PASSWORD*', '*SECRET*', '*TOKEN*', '*_KEY'];

describe('a variable', () => {
  it.each(['PASSWORD', 'DB_PASSWORD_FILE', 'db_password', 'ClientSecret', 'API_TOKEN', 'AWS_ACCESS_KEY', 'aws_key'])(
    'is sensitive: %s',
    (name) => {
      expect(isSensitive(name, usual)).toBe(true);
    },
  );

  it.each(['LEVEL', 'KEYBOARD', 'KEY', 'AWS_KEY_ID', 'PASS_WORD', ''])('is not sensitive: %s', (name) => {
    expect(isSensitive(name, usual)).toBe(false);
  });

  it('is not sensitive without patterns, and always with a lone asterisk', () => {
    expect([isSensitive('PASSWORD', []), isSensitive('', ['*']), isSensitive('X', ['*']), isSensitive('X', [''])]).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it('does not match a pattern twice with the same letters', () => {
    expect(['aba', 'ababa', 'aXba', 'abba'].map((name) => isSensitive(name, ['ab*ba']))).toEqual([false, true, false, true]);
  });

  it('matches as a regular expression would', () => {
    const text = fc.string({ maxLength: 8, unit: fc.constantFrom('a', 'B', '_') });
    const pattern = fc.string({ maxLength: 6, unit: fc.constantFrom('a', 'b', '_', '*') });
    fc.assert(
      fc.property(text, pattern, (name, glob) => {
        expect(isSensitive(name, [glob])).toBe(new RegExp(`^${glob.replaceAll('*', '.*')}$`, 'i').test(name));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is compared in no time, however long its name', () => {
    const name = 'a'.repeat(1_000_000);
    expect(isSensitive(name, [`${'*a'.repeat(20)}*b`])).toBe(false);
  });
});
