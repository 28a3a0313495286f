import type { Clock } from './clock.ts';
import type { Random } from './random.ts';

export interface UuidSources {
  readonly clock: Clock;
  readonly random: Random;
}

const counterBits = 12;
const counterEnd = 2 ** counterBits;
/** A fresh millisecond starts in the lower half, so that at least 2048 ids fit into it. */
const freshCounterEnd = counterEnd / 2;

/**
 * Makes UUIDv7 ids (RFC 9562), each greater as text than the one before, also within a millisecond and when the wall clock goes back. The 12
 * bits after the time are a counter: it starts at random in every millisecond, and when it runs over, the ids' time steps
 * ahead of the clock until the clock catches up.
 */
export function createUuidV7({ clock, random }: UuidSources): () => string {
  let timeMs = -1;
  let counter = 0;
  return () => {
    const nowMs = Math.floor(clock.now());
    counter += 1;
    if (nowMs > timeMs || counter === counterEnd) {
      timeMs = Math.max(nowMs, timeMs + 1);
      counter = Math.floor(random.next() * freshCounterEnd);
    }
    return format(timeMs, counter, random.fill(new Uint8Array(8)));
  };
}

function format(timeMs: number, counter: number, tail: Uint8Array): string {
  const time = hex(timeMs, 12);
  const [variant = 0, ...rest] = tail;
  const tailText = hex((variant & 0x3f) | 0x80, 2) + rest.map((byte) => hex(byte, 2)).join('');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(counter, 3)}-${tailText.slice(0, 4)}-${tailText.slice(4)}`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
