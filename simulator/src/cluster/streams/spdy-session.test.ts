import { type Duplex, duplexPair } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SpdyHeaderWriter } from './spdy-headers.ts';
import { SpdySession, type SpdyStream } from './spdy-session.ts';

const numbers = (...values: readonly number[]): Buffer =>
  Buffer.concat(
    values.map((value) => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value >>> 0);
      return bytes;
    }),
  );
const control = (type: number, flags: number, body: Buffer): Buffer =>
  Buffer.concat([numbers(0x8003_0000 | type, (flags << 24) | body.length), body]);
const data = (id: number, flags: number, body: Buffer): Buffer => Buffer.concat([numbers(id, (flags << 24) | body.length), body]);

interface Frame {
  /** `data`, or the number of a control frame. */
  readonly type: string;
  readonly flags: number;
  readonly body: Buffer;
}

function framesOf(bytes: Buffer): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length; ) {
    const isControl = (bytes.readUInt8(at) & 0x80) !== 0;
    const length = bytes.readUIntBE(at + 5, 3);
    const type = isControl ? String(bytes.readUInt16BE(at + 2)) : 'data';
    frames.push({ type, flags: bytes.readUInt8(at + 4), body: bytes.subarray(at + 8, at + 8 + length) });
    at += 8 + length;
  }
  return frames;
}

function start(accept: (stream: SpdyStream) => void): { readonly client: Duplex; readonly ended: Promise<void> } {
  const [client, server] = duplexPair();
  client.on('error', () => {});
  return { client, ended: new SpdySession(server, accept).run() };
}

const open = async (writer: SpdyHeaderWriter, id: number, headers: Readonly<Record<string, string>>): Promise<Buffer> =>
  control(1, 0, Buffer.concat([numbers(id, 0), Buffer.alloc(2), await writer.write(new Map(Object.entries(headers)))]));

describe('SpdySession', () => {
  it('carries what both sides of its streams write, in any pieces', async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 50_000 }), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 4_000 }), async (lengths, pieceBytes) => {
        const { client, ended } = start(({ body }) => body.pipe(body));
        const writer = new SpdyHeaderWriter();
        const sent: Buffer[] = [];
        for (const [i, length] of lengths.entries()) {
          const id = 2 * i + 1;
          sent.push(await open(writer, id, { name: String(i) }), data(id, 1, Buffer.alloc(length, i + 1)));
        }
        const all = Buffer.concat(sent);
        for (let at = 0; at < all.length; at += pieceBytes) client.write(all.subarray(at, at + pieceBytes));
        const received: Buffer[] = [];
        const wanted = lengths.length;
        let finished = 0;
        for await (const chunk of client) {
          received.push(chunk as Buffer);
          finished = framesOf(Buffer.concat(received)).filter(({ type, flags }) => type === 'data' && flags === 1).length;
          if (finished === wanted) break;
        }
        const frames = framesOf(Buffer.concat(received));
        const echoed = frames.filter(({ type }) => type === 'data').reduce((sum, { body }) => sum + body.length, 0);
        expect(echoed).toBe(lengths.reduce((sum, length) => sum + length, 0));
        expect(frames.filter(({ type }) => type === '2')).toHaveLength(wanted);
        await ended;
        writer.close();
      }),
      { numRuns: 20 },
    );
  });

  it('answers pings, and ends a stream that the client takes back', async () => {
    const streams: SpdyStream[] = [];
    const { client, ended } = start((stream) => streams.push(stream));
    const writer = new SpdyHeaderWriter();
    client.write(await open(writer, 1, { streamtype: 'data' }));
    client.write(control(3, 0, numbers(1, 5)));
    client.write(control(6, 0, numbers(7)));
    const received: Buffer[] = [];
    client.on('data', (chunk: Buffer) => received.push(chunk));
    await expect.poll(() => framesOf(Buffer.concat(received)).find(({ type }) => type === '6')?.body).toEqual(numbers(7));
    client.end();
    await ended;
    expect(streams.map(({ headers, body }) => [headers.get('streamtype'), body.destroyed])).toEqual([['data', true]]);
  });

  it('ends, and nothing else, when the client does not speak SPDY', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const { client, ended } = start(({ body }) => body.resume());
        client.resume();
        client.write(bytes);
        client.end();
        await ended;
      }),
      { numRuns: 200 },
    );
  });
});
