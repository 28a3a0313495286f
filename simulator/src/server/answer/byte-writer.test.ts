import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteWriter } from './byte-writer.ts';

describe('ByteWriter', () => {
  it('gives all texts and bytes in the order in which they came, however many', () => {
    const piece = fc.tuple(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.boolean());
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 64 }), fc.array(piece), (expectedBytes, pieces) => {
        const writer = new ByteWriter(expectedBytes);
        for (const [text, isBytes] of pieces) {
          if (isBytes) writer.bytes(Buffer.from(text));
          else writer.text(text);
        }
        expect(writer.end().toString()).toBe(pieces.map(([text]) => text).join(''));
      }),
    );
  });
});
