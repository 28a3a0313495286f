import { type Clock, coalesced, pause, systemClock } from '@quartermaster/kernel';
import type { Look } from './listing.ts';
import type { Frame, WatchDisplay } from './watch-display.ts';

export interface ShowOptions<State> {
  readonly display: WatchDisplay<State>;
  readonly look: (now: number) => Look;
  /** Whether to show it anew every second, since the ages in it grow. */
  readonly ticks: boolean;
  /** What is to be shown now. */
  readonly frame: () => Frame<State>;
  /** Follows what is shown until the signal aborts, and calls `draw` when it changed. What it throws ends the show. */
  readonly follow: (draw: () => void, signal: AbortSignal) => Promise<void>;
  readonly clock?: Clock | undefined;
}

const drawIntervalMs = 250;

/** Shows something as it changes, until the signal aborts. */
export async function showFrames<State>(options: ShowOptions<State>, signal: AbortSignal): Promise<void> {
  const { display, look, frame, clock = systemClock } = options;
  const failed = new AbortController();
  const ended = AbortSignal.any([signal, failed.signal]);
  const draw = coalesced(clock, drawIntervalMs, () => {
    if (!ended.aborted) display.show(frame(), look(clock.now()));
  });
  try {
    await Promise.all([options.follow(draw.trigger, ended), options.ticks ? tick(draw.trigger, clock, ended) : undefined]);
  } catch (thrown) {
    failed.abort(thrown);
  } finally {
    draw.stop();
    display.end();
  }
  if (failed.signal.aborted) throw failed.signal.reason;
}

async function tick(draw: () => void, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pause(clock, 1_000, signal);
    draw();
  }
}
