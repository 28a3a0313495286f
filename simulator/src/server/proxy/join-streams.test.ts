import { once } from 'node:events';
import { Duplex, duplexPair } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { joinStreams } from './join-streams.ts';

function joined() {
  const [left, leftInside] = duplexPair();
  const [rightInside, right] = duplexPair();
  joinStreams(leftInside, rightInside);
  return { left, right, leftInside, rightInside };
}

describe('joinStreams', () => {
  it('passes bytes both ways', async () => {
    const { left, right } = joined();
    left.end('to the right');
    right.end('to the left');
    expect([String(await buffer(right)), String(await buffer(left))]).toEqual(['to the right', 'to the left']);
  });

  it('delivers what a side had said before it ended, however late it is read', async () => {
    const taken: string[] = [];
    const held: (() => void)[] = [];
    let isHeld = true;
    const ended = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
    const slow = new Duplex({
      read: () => {},
      write: (chunk, _encoding, done) => {
        taken.push(String(chunk));
        if (isHeld) held.push(done);
        else done();
      },
    });
    joinStreams(ended, slow);
    for (const text of ['one', 'two', null]) ended.push(text);
    slow.push(null);
    await once(ended, 'close');
    isHeld = false;
    for (const done of held) done();
    await once(slow, 'close');
    expect(taken).toEqual(['one', 'two']);
  });

  it('takes no more than the other side does', async () => {
    const { left } = joined();
    let taken = 0;
    for (let turns = 0; turns < 1_000; turns += 1) {
      if (!left.writableNeedDrain) taken += left.write(Buffer.alloc(10_000)) ? 10_000 : 0;
      await setImmediate();
    }
    expect(taken).toBeLessThan(1_000_000);
  });

  it('breaks one side with the other', async () => {
    const { right, leftInside, rightInside } = joined();
    right.on('error', () => {});
    leftInside.destroy(new Error('connection reset'));
    await once(rightInside, 'close');
    expect(rightInside.destroyed).toBe(true);
  });
});
