import fc from 'fast-check';
import { first, frame, opcodes } from './tenant-stream.ts';

/** Bytes for a shell that is open, and how it ends with them. */
export interface MalformedFrame {
  readonly kind: string;
  readonly bytes: Buffer;
  readonly code: number;
}

const data = (most: number): fc.Arbitrary<Buffer> => fc.uint8Array({ maxLength: most }).map((bytes) => Buffer.from(bytes));
const binary = (bytes: Uint8Array): Buffer => frame({ opcode: opcodes.binary, data: bytes });

const kinds: readonly fc.Arbitrary<MalformedFrame>[] = [
  // Of the shell.
  fc
    .tuple(fc.nat(255), data(200))
    .filter(([byte]) => byte !== first.stdin && byte !== first.resize)
    .map(([byte, rest]) => ({
      ...{ kind: 'an unknown first byte', bytes: binary(Buffer.from([byte, ...rest])), code: 1008 },
    })),
  fc.constant({ kind: 'nothing', bytes: binary(Buffer.alloc(0)), code: 1008 }),
  data(9)
    .filter(({ length }) => length !== 4)
    .map((rest) => ({ kind: 'a size', bytes: binary(Buffer.from([first.resize, ...rest])), code: 1008 })),
  fc
    .string({ maxLength: 100 })
    .map((text) => ({ kind: 'text', bytes: frame({ opcode: opcodes.text, data: Buffer.from(text) }), code: 1008 })),
  // Of the protocol below it.
  fc
    .tuple(fc.constantFrom(3, 4, 5, 6, 7, 11, 12, 13, 14, 15), data(20))
    .map(([opcode, rest]) => ({ kind: 'an opcode', bytes: frame({ opcode, data: rest }), code: 1002 })),
  data(100).map((rest) => ({ kind: 'no mask', bytes: frame({ opcode: opcodes.binary, data: rest, isMasked: false }), code: 1002 })),
  fc.tuple(fc.constantFrom(0x10, 0x20, 0x40, 0x70), data(20)).map(([flag, rest]) => ({
    ...{ kind: 'a reserved bit', bytes: frame({ opcode: opcodes.binary, data: rest, flags: 0x80 | flag }), code: 1002 },
  })),
  fc.tuple(fc.constantFrom(opcodes.ping, opcodes.pong, opcodes.close), data(50)).map(([opcode, rest]) => ({
    ...{ kind: 'a control frame in parts', bytes: frame({ opcode, data: rest, flags: 0 }), code: 1002 },
  })),
  fc
    .integer({ min: 126, max: 300 })
    .map((length) => ({ kind: 'a long ping', bytes: frame({ opcode: opcodes.ping, data: Buffer.alloc(length) }), code: 1002 })),
  data(20).map((rest) => ({ kind: 'a rest of nothing', bytes: frame({ opcode: opcodes.rest, data: rest }), code: 1002 })),
  fc.constantFrom(0, 999, 1004, 1005, 1006, 1015, 2999, 5000, 65_535).map((code) => {
    const bytes = Buffer.alloc(2);
    bytes.writeUInt16BE(code);
    return { kind: 'a code to close with', bytes: frame({ opcode: opcodes.close, data: bytes }), code: 1002 };
  }),
  data(20).map((rest) => ({
    kind: 'text in other bytes',
    bytes: frame({ opcode: opcodes.text, data: Buffer.concat([rest, Buffer.from([0xc3, 0x28])]) }),
    code: 1007,
  })),
  fc
    .integer({ min: 64 * 1024 + 1, max: 70_000 })
    .map((length) => ({ kind: 'a long frame', bytes: binary(Buffer.alloc(length, first.stdin)), code: 1009 })),
  fc.constantFrom(2n ** 31n, 2n ** 40n, 2n ** 53n, 2n ** 63n).map((length) => {
    const head = Buffer.alloc(14);
    head.set([0x82, 0xff]);
    head.writeBigUInt64BE(length, 2);
    return { kind: 'a length that nobody has', bytes: head, code: 1009 };
  }),
];

export const malformedFrames = ({ seed, count }: { readonly seed: number; readonly count: number }): readonly MalformedFrame[] =>
  Array.from({ length: count }, (_, index) => index % kinds.length).flatMap((kind, index) =>
    fc.sample(kinds[kind] ?? fc.constant<never>({} as never), { seed: seed + index, numRuns: 1 }),
  );

const text = (...lines: readonly string[]): Buffer => Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
const get = 'GET /version HTTP/1.1';

/** What is no HTTP, or not as it may be. */
const wires: readonly fc.Arbitrary<Buffer>[] = [
  fc.uint8Array({ minLength: 20, maxLength: 400 }).map((bytes) => Buffer.concat([Buffer.from([0]), bytes, Buffer.from('\r\n\r\n')])),
  fc
    .constantFrom('GET', 'get /version HTTP/1.1', 'GET /version HTTP/9.9', 'GET  HTTP/1.1', '\u0016\u0003\u0001 /')
    .map((line) => text(line, 'host: a')),
  fc.constantFrom('no colon', ': none', 'a b: c', 'host : a', 'x\u0000: a', 'x: a\u0000b').map((header) => text(get, 'host: a', header)),
  fc
    .constantFrom('-1', 'x', '1, 2', '0x10', '99999999999999999999')
    .map((length) => text('PUT /deployment/1/manifest HTTP/1.1', 'host: a', `content-length: ${length}`)),
  fc.constant(text('PUT /deployment/1/manifest HTTP/1.1', 'host: a', 'content-length: 5', 'transfer-encoding: chunked')),
  fc.constant(text('PUT /deployment/1/manifest HTTP/1.1', 'host: a', 'content-length: 5', 'content-length: 6')),
  fc.integer({ min: 33, max: 80 }).map((kib) => text(get, 'host: a', `x: ${'y'.repeat(kib * 1024)}`)),
  fc.constant(text(get)),
];

export const malformedBytes = ({ seed, count }: { readonly seed: number; readonly count: number }): readonly Buffer[] =>
  Array.from({ length: count }, (_, index) => index % wires.length).flatMap((kind, index) =>
    fc.sample(wires[kind] ?? fc.constant<never>(Buffer.alloc(0) as never), { seed: seed + index, numRuns: 1 }),
  );
