import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter } from './lines.ts';

function split(chunks: readonly Buffer[], maxBytes?: number): string[] {
  const lines: string[] = [];
  const splitter = new LineSplitter(maxBytes);
  const take = (bytes: Buffer): void => {
    lines.push(bytes.toString('utf8'));
  };
  for (const chunk of chunks) splitter.push(chunk, take);
  splitter.end(take);
  return lines;
}

/** Cuts bytes at the given places, in any order and with repetitions, which give empty chunks. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
}

describe('lines', () => {
  it('are the same however the stream is chunked', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '{', '"', '\r', '\0', 'ü', '亀', '🐢', '\n'), maxLength: 60 });
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 30 }), (whole, places) => {
        const expected = whole.split('\n');
        if (expected.at(-1) === '') expected.pop();
        expect(split(cut(Buffer.from(whole), places))).toEqual(expected);
      }),
    );
  });

  it('come as soon as their newline does', () => {
    const lines: string[] = [];
    const splitter = new LineSplitter();
    const take = (bytes: Buffer): void => {
      lines.push(bytes.toString('utf8'));
    };
    splitter.push(Buffer.from('one\ntw'), take);
    expect(lines).toEqual(['one']);
    splitter.push(Buffer.from('o\n'), take);
    expect(lines).toEqual(['one', 'two']);
    splitter.end(take);
    expect(lines).toEqual(['one', 'two']);
  });

  it('keep empty lines', () => {
    expect(split([Buffer.from('\n\na\n')])).toEqual(['', '', 'a']);
  });

  it('end with what has no newline', () => {
    expect(split([Buffer.from('a\nb')])).toEqual(['a', 'b']);
  });

  it('keep characters whole whose bytes arrive in two chunks', () => {
    const bytes = Buffer.from('ü\n');
    expect(split([bytes.subarray(0, 1), bytes.subarray(1)])).toEqual(['ü']);
  });

  it('that are too long come in pieces of whole characters, however the stream is chunked', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'ü', '亀', '🐢', '\n'), maxLength: 60 });
    fc.assert(
      fc.property(text, fc.integer({ min: 4, max: 9 }), fc.array(fc.nat(), { maxLength: 30 }), (whole, maxBytes, places) => {
        const pieces = split(cut(Buffer.from(whole), places), maxBytes);
        expect(pieces.join('')).toBe(whole.replaceAll('\n', ''));
        expect(pieces).toEqual(split([Buffer.from(whole)], maxBytes));
        for (const piece of pieces) expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(maxBytes);
      }),
    );
  });

  it('of the longest size that may be come whole, and longer ones in as few pieces as can be', () => {
    expect(split([Buffer.from('12345678\n123456789\n\n')], 8)).toEqual(['12345678', '12345678', '9', '']);
    expect(split([Buffer.from('1234567ü\n')], 8)).toEqual(['1234567', 'ü']);
  });

  it('without an end are not kept', () => {
    const sizes: number[] = [];
    const splitter = new LineSplitter(1000);
    for (let chunk = 0; chunk < 50; chunk += 1) splitter.push(Buffer.alloc(300, 'x'), (bytes) => void sizes.push(bytes.length));
    expect(sizes).toEqual(Array.from({ length: 14 }, () => 1000));
  });

  it('that are no text come in pieces, too', () => {
    expect(split([Buffer.alloc(10, 0x80)], 4)).toHaveLength(3);
  });
});
