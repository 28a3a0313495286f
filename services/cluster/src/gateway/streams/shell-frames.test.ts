import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frameOf, jsonFrame, readFrame } from './shell-frames.ts';

describe('a frame of a shell', () => {
  it('has what it is as its first byte', () => {
    const kinds = ['stdout', 'stderr', 'result', 'failure', 'stdin', 'resize'] as const;
    expect(kinds.map((kind) => [...frameOf(kind, Buffer.from('ab'))])).toEqual(
      [100, 101, 102, 103, 104, 105].map((first) => [first, 97, 98]),
    );
    expect(jsonFrame('result', { exit_code: 7 }).toString()).toBe('f{"exit_code":7}');
    expect(jsonFrame('failure', { message: 'ä' }).toString()).toBe('g{"message":"ä"}');
  });

  it('gives back the input that is in it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(readFrame(frameOf('stdin', bytes), true)).toEqual({ kind: 'stdin', bytes: Buffer.from(bytes) });
      }),
    );
  });

  it('gives back the size that is in it, wherever it lies', () => {
    const number = fc.nat(65_535);
    fc.assert(
      fc.property(number, number, fc.nat(9), (width, height, before) => {
        const whole = Buffer.concat([
          Buffer.alloc(before),
          Buffer.from([105, width >> 8, width & 255, height >> 8, height & 255]),
          Buffer.alloc(3),
        ]);
        expect(readFrame(whole.subarray(before, before + 5), true)).toEqual({ kind: 'resize', width, height });
      }),
    );
  });

  it.each([
    ['is text', Buffer.from('h'), false, 'frames of a shell are binary'],
    ['is empty', Buffer.alloc(0), true, 'must not be empty'],
    ['has a size that is too short', Buffer.from([105, 0, 80, 0]), true, 'two numbers of 16 bits'],
    ['has a size that is too long', Buffer.from([105, 0, 80, 0, 24, 0]), true, 'two numbers of 16 bits'],
    ['is an answer', Buffer.from([100, 65]), true, 'frame 100 is unknown'],
    ['is of no kind', Buffer.from([0]), true, 'frame 0 is unknown'],
  ])('that %s is malformed', (_what, bytes, isBinary, why) => {
    expect(readFrame(bytes, isBinary)).toEqual({ kind: 'malformed', why: expect.stringContaining(why) });
  });
});
