import { describe, expect, it } from 'vitest';
import { guarded } from './output.ts';

const written = (isTTY: boolean, text: string): string => {
  const parts: string[] = [];
  guarded({ isTTY, write: (part) => parts.push(part) }).write(text);
  return parts.join('');
};

describe('a terminal', () => {
  it.each([
    ['\u001B]52;c;ZXZpbA==\u0007said', ']52;c;ZXZpbA==said'],
    ['\u001B[6nasked', 'asked'],
    ['\u001B[3;1Helsewhere', 'elsewhere'],
    ['\u009B2Jcleared', '2Jcleared'],
    ['turned \u202Egnp.exe', 'turned gnp.exe'],
    ['bob is here\rann', 'bob is hereann'],
    ['bob is here\r\u001B[Kann', 'bob is here\u001B[Kann'],
    ['bob is here\r\r\n', 'bob is here\r\n'],
    ['\r\r12 of 7', '\r12 of 7'],
  ])('is not told what others write: %j', (text, expected) => {
    expect(written(true, text)).toBe(expected);
  });

  it.each([
    '\u001B[32mgood\u001B[39m',
    '\u001B[?1049h\u001B[?7l\u001B[?25l\u001B[H a\u001B[K\n\u001B[J',
    '\r\u001B[K working …',
    '\r3 of 7',
    'a\r\nb',
    'a\tb',
  ])('is told what our displays write: %j', (text) => {
    expect(written(true, text)).toBe(text);
  });

  it('is no file: those get everything', () => {
    expect(written(false, 'a\u001B]0;b\u0007')).toBe('a\u001B]0;b\u0007');
  });
});
