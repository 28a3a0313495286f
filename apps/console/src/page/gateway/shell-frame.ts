import { shellFrames } from '../../gateway-view.ts';

/** What a shell says. */
export type ShellSaid =
  | { readonly kind: 'output'; readonly bytes: Uint8Array }
  | { readonly kind: 'result'; readonly exitCode: number; readonly message: string }
  | { readonly kind: 'failure'; readonly message: string };

/** One frame of a shell; undefined for one that this page does not know. */
export function readFrame(frame: Uint8Array): ShellSaid | undefined {
  const bytes = frame.subarray(1);
  switch (frame[0]) {
    case shellFrames.stdout:
    case shellFrames.stderr:
      return { kind: 'output', bytes };
    case shellFrames.result: {
      const { exit_code: exitCode = 0, message = '' } = factsIn(bytes);
      return { kind: 'result', exitCode, message };
    }
    case shellFrames.failure:
      return { kind: 'failure', message: factsIn(bytes).message ?? 'the provider does not say why' };
    default:
      return undefined;
  }
}

/** Far below what the console takes as one message. */
const mostInput = 16 * 1024;

/** What was typed or pasted, in as many frames as it needs. */
export function inputFrames(bytes: Uint8Array): readonly Uint8Array<ArrayBuffer>[] {
  const frames: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < bytes.length; at += mostInput) frames.push(Uint8Array.of(shellFrames.stdin, ...bytes.subarray(at, at + mostInput)));
  return frames;
}

export function resizeFrame({ cols, rows }: { readonly cols: number; readonly rows: number }): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(5);
  const view = new DataView(frame.buffer);
  view.setUint8(0, shellFrames.resize);
  view.setUint16(1, cols);
  view.setUint16(3, rows);
  return frame;
}

function factsIn(bytes: Uint8Array): { readonly exit_code?: number; readonly message?: string } {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as object;
  } catch {
    return {};
  }
}
