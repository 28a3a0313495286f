import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countOf, formatBytes, formatBytesOf, formatCores, formatInteger } from './amounts.ts';

const tib = 1024 ** 4;

describe('amounts', () => {
  it('sets thousands apart without losing a digit', () => {
    expect(formatInteger(12_345_678)).toBe('12\u202f345\u202f678');
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 50 }), (value) => {
        expect(formatInteger(value).replaceAll('\u202f', '')).toBe(String(value));
      }),
    );
  });

  it.each([
    [0, '0 B'],
    [1023, '1\u202f023 B'],
    [1024, '1 KiB'],
    [768 * 1024 ** 3, '768 GiB'],
    [5.24 * tib, '5.2 TiB'],
    [1023.96 * 1024 ** 3, '1 TiB'],
  ])('reads %d bytes as %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  it('reads a part and its whole in one unit', () => {
    expect(formatBytesOf(5.2 * tib, 8 * tib)).toBe('5.2 of 8 TiB');
    expect(formatBytesOf(512 * 1024 ** 3, 8 * tib)).toBe('0.5 of 8 TiB');
    expect(formatBytesOf(0, 0)).toBe('0 of 0 B');
  });

  it('never prints a number of four digits before a unit that has a larger one', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 2 ** 59, noNaN: true }), (bytes) => {
        expect(Number.parseFloat(formatBytes(bytes).replaceAll('\u202f', ''))).toBeLessThan(1024);
      }),
    );
  });

  it.each([
    [96_000, '96'],
    [7_500, '7.5'],
    [250, '0.25'],
    [5, '0.005'],
    [480_000_000, '480\u202f000'],
    [123_456, '123'],
  ])('reads %i millicores as %s cores', (millis, text) => {
    expect(formatCores(millis)).toBe(text);
  });

  it('counts in words', () => {
    expect([countOf(0, 'pod'), countOf(1, 'pod'), countOf(1200, 'pod')]).toEqual(['0 pods', '1 pod', '1\u202f200 pods']);
  });
});
