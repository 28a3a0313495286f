import type { Duplex } from 'node:stream';

/** Passes bytes both ways, no faster than they are taken. What one side had said before it ended still arrives; a side that breaks takes the other along. */
export function joinStreams(one: Duplex, other: Duplex): void {
  one.pipe(other).pipe(one);
  const pairs = [
    [one, other],
    [other, one],
  ] as const;
  for (const [side, peer] of pairs) {
    side.once('error', () => peer.destroy());
    side.once('close', () => {
      if (!side.readableEnded) peer.destroy();
    });
  }
}
