/** As much of HTTP/2 as a caller of gRPC needs that always sends the same headers and never reads those of the answers. */

export const frameType = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7, windowUpdate: 8 } as const;
export const frameFlag = { endStream: 1, ack: 1, endHeaders: 4 } as const;

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

const headBytes = 9;
const maxWindow = 2 ** 31 - 1;
const firstWindow = 65_535;

export function frame(type: number, flags: number, stream: number, ...payload: readonly Uint8Array[]): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUIntBE(
    payload.reduce((sum, { length }) => sum + length, 0),
    0,
    3,
  );
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, ...payload]);
}

/** Windows so large that no measurement uses them up: they are never opened again. */
export function preface(): Buffer {
  const initialWindow = Buffer.alloc(6);
  initialWindow.writeUInt16BE(4, 0);
  initialWindow.writeUInt32BE(maxWindow, 2);
  const more = Buffer.alloc(4);
  more.writeUInt32BE(maxWindow - firstWindow, 0);
  return Buffer.concat([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    frame(frameType.settings, 0, 0, initialWindow),
    frame(frameType.windowUpdate, 0, 0, more),
  ]);
}

/** Calls back for every whole frame, and gives back the bytes of the one that is not. */
export function readFrames(bytes: Buffer, onFrame: (frame: Frame) => void): Buffer {
  let start = 0;
  while (bytes.length - start >= headBytes) {
    const end = start + headBytes + bytes.readUIntBE(start, 3);
    if (bytes.length < end) break;
    const [type = 0, flags = 0] = bytes.subarray(start + 3, start + 5);
    onFrame({ type, flags, stream: bytes.readUInt32BE(start + 5), payload: bytes.subarray(start + headBytes, end) });
    start = end;
  }
  return bytes.subarray(start);
}

/**
 * The headers of a call to gRPC. Those that stay the same are put into the table of the connection by its first call, as every client does, and are then one byte each.
 */
export class CallHeaders {
  readonly #first: Buffer;
  readonly #next: Buffer;
  #isKnown = false;

  constructor(authority: string, token: string) {
    const post = Buffer.of(0x83, 0x86);
    const lasting = [
      Buffer.of(0x41, ...text(authority)),
      Buffer.of(0x40 | 31, ...text('application/grpc')),
      Buffer.of(0x40, ...text('te'), ...text('trailers')),
      Buffer.of(0x40 | 23, ...text(`Bearer ${token}`)),
    ];
    this.#first = Buffer.concat([post, ...lasting]);
    // The newest entry of the table has the number 62.
    this.#next = Buffer.concat([post, Buffer.from(lasting.map((_, age) => 0x80 | (62 + age)).toReversed())]);
  }

  block(path: string): Buffer {
    const known = this.#isKnown ? this.#next : this.#first;
    this.#isKnown = true;
    return Buffer.concat([known.subarray(0, 2), Buffer.of(0x04, ...text(path)), known.subarray(2)]);
  }
}

/** A text as HPACK has it, not compressed. */
function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  const length: number[] = [];
  if (bytes.length < 127) length.push(bytes.length);
  else {
    length.push(127);
    let rest = bytes.length - 127;
    for (; rest >= 128; rest >>= 7) length.push((rest & 127) | 128);
    length.push(rest);
  }
  return Buffer.concat([Buffer.from(length), bytes]);
}
