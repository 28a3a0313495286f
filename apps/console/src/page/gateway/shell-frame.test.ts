import { describe, expect, it } from 'vitest';
import { inputFrames, readFrame, resizeFrame } from './shell-frame.ts';

const bytes = (kind: number, text: string) => Uint8Array.of(kind, ...new TextEncoder().encode(text));

describe('frames of a shell', () => {
  it('say what a command writes, how it ends and what failed', () => {
    expect(readFrame(bytes(100, 'hi'))).toEqual({ kind: 'output', bytes: new TextEncoder().encode('hi') });
    expect(readFrame(bytes(101, 'hi'))).toMatchObject({ kind: 'output' });
    expect(readFrame(bytes(102, '{"exit_code":3}'))).toEqual({ kind: 'result', exitCode: 3, message: '' });
    expect(readFrame(bytes(103, '{"message":"no such service"}'))).toEqual({ kind: 'failure', message: 'no such service' });
    expect(readFrame(bytes(103, 'no JSON'))).toEqual({ kind: 'failure', message: 'the provider does not say why' });
    expect([readFrame(bytes(99, '')), readFrame(new Uint8Array(0))]).toEqual([undefined, undefined]);
  });

  it('carry a long paste in pieces, in order', () => {
    const pasted = Uint8Array.from({ length: 40_000 }, (_, index) => index % 251);
    const frames = inputFrames(pasted);
    expect(frames.map((frame) => [frame[0], frame.length])).toEqual([
      [104, 16_385],
      [104, 16_385],
      [104, 7_233],
    ]);
    expect(Buffer.concat(frames.map((frame) => frame.subarray(1)))).toEqual(Buffer.from(pasted));
  });

  it('tell width before height', () => {
    expect([...resizeFrame({ cols: 300, rows: 24 })]).toEqual([105, 1, 44, 0, 24]);
  });
});
