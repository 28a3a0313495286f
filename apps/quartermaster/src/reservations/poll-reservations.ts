import { type Clock, messageOf, pause, StatusError, systemClock } from '@quartermaster/kernel';
import type { ShowOptions } from '../text/show-frames.ts';
import type { Frame } from '../text/watch-display.ts';

const intervalMs = 2_000;
/** A server that is silent for longer is told as away. */
const deadlineMs = 10_000;
// Waiting mends none of these, unless the same request was granted before.
const fatalCodes: ReadonlySet<string> = new Set(['unauthenticated', 'permission_denied', 'invalid_argument', 'failed_precondition']);

/**
 * What is read, again and again, since the service has no watch of it. A read that fails takes nothing away: what was last known stays, marked as no longer
 * confirmed. `read` opens a new connection each time, so that a server that moved is found.
 */
export function pollReservations<State>(
  read: (signal: AbortSignal, deadlineMs: number) => Promise<State>,
  clock: Clock = systemClock,
): Pick<ShowOptions<State>, 'frame' | 'follow'> {
  let frame: Frame<State> = { state: undefined, link: { isLive: false, lastContactAt: undefined, reason: 'not connected yet' } };
  let lastContactAt: number | undefined;
  const follow = async (draw: () => void, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        const state = await read(signal, deadlineMs);
        lastContactAt = clock.now();
        frame = { state, link: { isLive: true } };
      } catch (thrown) {
        if (signal.aborted) return;
        const isFatal = !(thrown instanceof StatusError) || (lastContactAt === undefined && fatalCodes.has(thrown.code));
        if (isFatal) throw thrown;
        frame = { ...frame, link: { isLive: false, lastContactAt, reason: messageOf(thrown) } };
      }
      draw();
      await pause(clock, intervalMs, signal);
    }
  };
  return { frame: () => frame, follow };
}
