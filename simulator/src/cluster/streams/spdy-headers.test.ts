import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SpdyHeaderReader, SpdyHeaderWriter } from './spdy-headers.ts';

const header = fc.tuple(fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/), fc.string({ unit: 'binary', maxLength: 60 }));

describe('SPDY headers', () => {
  it('begin with the number of the dictionary of SPDY/3', async () => {
    const block = await new SpdyHeaderWriter().write(new Map());
    expect(block.readUInt32BE(2)).toBe(0xe3c6_a7c2);
  });

  it('come out as they went in, block after block of one connection', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(header, { maxLength: 8 }), { maxLength: 6 }), async (blocks) => {
        const reader = new SpdyHeaderReader();
        const writer = new SpdyHeaderWriter();
        for (const block of blocks) {
          const headers = new Map(block);
          expect(await reader.read(await writer.write(headers))).toEqual(headers);
        }
        reader.close();
        writer.close();
      }),
      { numRuns: 50 },
    );
  });

  it('are refused when they are no zlib data, cut short or too long', async () => {
    await expect(new SpdyHeaderReader().read(Buffer.from('plain text'))).rejects.toThrow('incorrect header check');
    await expect(new SpdyHeaderReader().read(await new SpdyHeaderWriter().write(new Map([['a', 'x'.repeat(300_000)]])))).rejects.toThrow(
      'more than 262144 bytes',
    );
  });
});
