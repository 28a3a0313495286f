/** First bytes of the frames of a shell, as in the ecosystem. */
export const frames = { stdout: 100, stderr: 101, result: 102, failure: 103, stdin: 104, resize: 105 } as const;

/** What a tenant sends. */
export type ShellInput =
  | { readonly kind: 'stdin'; readonly bytes: Uint8Array }
  | { readonly kind: 'resize'; readonly width: number; readonly height: number }
  | { readonly kind: 'malformed'; readonly why: string };

export function readFrame(bytes: Uint8Array, isBinary: boolean): ShellInput {
  if (!isBinary) return { kind: 'malformed', why: 'frames of a shell are binary' };
  switch (bytes[0]) {
    case frames.stdin:
      return { kind: 'stdin', bytes: bytes.subarray(1) };
    case frames.resize: {
      if (bytes.length !== 5)
        return { kind: 'malformed', why: `frame ${frames.resize} must have two numbers of 16 bits: width and height` };
      const view = new DataView(bytes.buffer, bytes.byteOffset);
      return { kind: 'resize', width: view.getUint16(1), height: view.getUint16(3) };
    }
    case undefined:
      return { kind: 'malformed', why: 'a frame must not be empty' };
    default:
      return { kind: 'malformed', why: `frame ${bytes[0]} is unknown: send ${frames.stdin} or ${frames.resize}` };
  }
}

export const frameOf = (kind: keyof typeof frames, bytes: Uint8Array): Buffer => Buffer.concat([Buffer.from([frames[kind]]), bytes]);
export const jsonFrame = (kind: 'result' | 'failure', value: object): Buffer => frameOf(kind, Buffer.from(JSON.stringify(value)));
