import { describe, expect, it } from 'vitest';
import { readFrame, resizeFrame, stdinFrame } from './shell-frames.ts';

const frame = (code: number, body: string) => Buffer.concat([Buffer.of(code), Buffer.from(body)]);

describe('frames of a shell', () => {
  it('tell output from errors, byte for byte', () => {
    const bytes = Buffer.of(0xff, 0x00, 0x0a);
    expect(readFrame(Buffer.concat([Buffer.of(100), bytes]))).toEqual({ kind: 'stdout', bytes });
    expect(readFrame(Buffer.concat([Buffer.of(101), bytes]))).toEqual({ kind: 'stderr', bytes });
  });

  it.each([
    ['{"exit_code":3}', 3, ''],
    ['{"exit_code":127,"message":"no such program"}', 127, 'no such program'],
    ['{"message":"gone"}', 1, 'gone'],
    ['gone', 1, 'gone'],
  ])('tell how a command ended: %s', (body, exitCode, message) => {
    expect(readFrame(frame(102, body))).toEqual({ kind: 'result', exitCode, message });
  });

  it('tell why there is no command', () => {
    expect(readFrame(frame(103, '{"message":"no pod is ready"}'))).toEqual({ kind: 'failure', message: 'no pod is ready' });
  });

  it.each([[''], ['\u0001x']])('of another kind are none: %j', (body) => {
    expect(readFrame(Buffer.from(body))).toBeUndefined();
  });

  it('carry input, and of nothing its end', () => {
    expect([...stdinFrame(Buffer.from('ls'))]).toEqual([104, 0x6c, 0x73]);
    expect([...stdinFrame(new Uint8Array())]).toEqual([104]);
  });

  it('carry a size as two numbers, the larger byte first, and no larger one than there is', () => {
    expect([...resizeFrame({ width: 300, height: 24 })]).toEqual([105, 1, 44, 0, 24]);
    expect([...resizeFrame({ width: 70_000, height: 1 })]).toEqual([105, 255, 255, 0, 1]);
  });
});
