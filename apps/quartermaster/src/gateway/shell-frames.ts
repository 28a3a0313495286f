/** The frames of a shell: one byte that says what follows, and what follows. */

import { textAt, valueAt } from '../text/json-path.ts';
import { jsonAnswer } from './json-answer.ts';

/** What a gateway sends. */
export type ShellFrame =
  | { readonly kind: 'stdout' | 'stderr'; readonly bytes: Uint8Array }
  /** How the command ended. */
  | { readonly kind: 'result'; readonly exitCode: number; readonly message: string }
  /** There is no command, or nobody knows how it ended. */
  | { readonly kind: 'failure'; readonly message: string };

export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

const code = { stdout: 100, stderr: 101, result: 102, failure: 103, stdin: 104, resize: 105 } as const;

/** Undefined where it is of a kind that is not known here. */
export function readFrame(frame: Uint8Array): ShellFrame | undefined {
  const body = frame.subarray(1);
  switch (frame[0]) {
    case code.stdout:
      return { kind: 'stdout', bytes: body };
    case code.stderr:
      return { kind: 'stderr', bytes: body };
    case code.result: {
      const result = jsonAnswer(body);
      const exitCode = valueAt(result, 'exit_code');
      // Without a code nobody can say that all went well.
      return { kind: 'result', exitCode: typeof exitCode === 'number' ? exitCode : 1, message: textAt(result, 'message') };
    }
    case code.failure:
      return { kind: 'failure', message: textAt(jsonAnswer(body), 'message') };
    default:
      return undefined;
  }
}

/** Of no bytes it says that there will be no more. */
export const stdinFrame = (bytes: Uint8Array): Uint8Array => Buffer.concat([Uint8Array.of(code.stdin), bytes]);

export function resizeFrame({ width, height }: TerminalSize): Uint8Array {
  const frame = Buffer.alloc(5);
  frame.writeUInt8(code.resize, 0);
  frame.writeUInt16BE(Math.min(width, 0xffff), 1);
  frame.writeUInt16BE(Math.min(height, 0xffff), 3);
  return frame;
}
