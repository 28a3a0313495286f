import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { jsonIn, readBody } from './read-body.ts';

const request = (chunks: Iterable<Buffer> | AsyncIterable<Buffer>, headers: object = {}): IncomingMessage =>
  Object.assign(Readable.from(chunks), { headers }) as unknown as IncomingMessage;
const refusal = (text: string) => ({ code: 'invalid_argument', message: expect.stringContaining(text) });

describe('a body', () => {
  it('is read as text, wherever it is cut', async () => {
    const bytes = Buffer.from('{"a":"ä€😀"}');
    const chunks = [...bytes].map((byte) => Buffer.of(byte));
    expect(await readBody(request(chunks), bytes.length)).toBe('{"a":"ä€😀"}');
    expect(await readBody(request([]), 1)).toBe('');
    expect(await readBody(request([bytes], { 'content-encoding': 'identity' }), 100)).toBe(bytes.toString());
  });

  it('is read no further than it may be long', async () => {
    let read = 0;
    const endless = async function* () {
      for (;;) {
        read += 1;
        yield Buffer.alloc(10);
      }
    };
    await expect(readBody(request(endless()), 100)).rejects.toMatchObject(refusal('body: must have at most 100 bytes'));
    expect(read).toBeLessThan(50);
  });

  it('is not unpacked, and not guessed', async () => {
    for (const encoding of ['gzip', 'br', 'identity, gzip'])
      await expect(readBody(request([], { 'content-encoding': encoding }), 1)).rejects.toMatchObject(refusal('content-encoding'));
    await expect(readBody(request([Buffer.of(0x22, 0xff, 0x22)]), 10)).rejects.toMatchObject(refusal('must be text in UTF-8'));
  });

  it('that breaks off is no failure of the provider', async () => {
    const broken = async function* () {
      yield Buffer.from('{');
      throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
    };
    await expect(readBody(request(broken()), 10)).rejects.toMatchObject(refusal('body: broke off'));
  });

  it('must be JSON, where it is to be', () => {
    expect(jsonIn('{"a":[1]}')).toEqual({ a: [1] });
    for (const text of ['', '{', '{}{}', 'undefined'])
      expect(() => jsonIn(text)).toThrow(expect.objectContaining(refusal('body: must be JSON')));
  });
});
