import type { Snapshot } from '@quartermaster/api/inventory';
import { type Clock, pause, StatusError, systemClock } from '@quartermaster/kernel';
import type { ShowOptions } from '../text/show-frames.ts';
import type { Frame } from '../text/watch-display.ts';
import type { InventoryClient, InventoryConnection } from './inventory-connection.ts';
import { InventoryFollower } from './inventory-follower.ts';

export interface WatchOptions<State> {
  readonly connect: () => InventoryConnection;
  /** What is to be shown of a new inventory. May ask for more. */
  readonly follow: (snapshot: Snapshot, client: InventoryClient) => Promise<State> | State;
  readonly clock?: Clock | undefined;
}

const pollIntervalMs = 1_000;

/** The inventory as it changes. */
export function watchInventory<State>(options: WatchOptions<State>): Pick<ShowOptions<State>, 'frame' | 'follow'> {
  const { connect, clock = systemClock } = options;
  let frame: Frame<State> = { state: undefined, link: { isLive: false, lastContactAt: undefined, reason: 'not connected yet' } };
  const follow = async (draw: () => void, signal: AbortSignal): Promise<void> => {
    const failed = new AbortController();
    const ended = AbortSignal.any([signal, failed.signal]);
    const redraw = (): void => {
      frame = { state: latest.state, link: follower.link };
      draw();
    };
    const latest = new LatestState(options.follow, redraw, clock, ended);
    const follower = new InventoryFollower({
      connect,
      clock,
      changed: (connection) => {
        if (connection === undefined || follower.snapshot === undefined) redraw();
        else latest.refresh(follower.snapshot, connection.client).catch((thrown: unknown) => failed.abort(connection.explained(thrown)));
      },
    });
    await follower.run(ended);
    if (failed.signal.aborted) throw failed.signal.reason;
  };
  return { frame: () => frame, follow };
}

/** The newest state; one request at a time, however fast changes come. */
class LatestState<State> {
  state: State | undefined;
  readonly #follow: WatchOptions<State>['follow'];
  readonly #changed: () => void;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #isBusy = false;
  #next: { readonly snapshot: Snapshot; readonly client: InventoryClient } | undefined;

  constructor(follow: WatchOptions<State>['follow'], changed: () => void, clock: Clock, signal: AbortSignal) {
    this.#follow = follow;
    this.#changed = changed;
    this.#clock = clock;
    this.#signal = signal;
  }

  async refresh(snapshot: Snapshot, client: InventoryClient): Promise<void> {
    this.#next = { snapshot, client };
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      for (let now = this.#take(); now !== undefined; now = this.#take()) {
        const answer = this.#follow(now.snapshot, now.client);
        this.state = answer instanceof Promise ? await answer : answer;
        this.#changed();
        if (answer instanceof Promise) await pause(this.#clock, pollIntervalMs, this.#signal);
      }
    } catch (thrown) {
      // A server that went away is the follower's to notice and to find again.
      if (!(thrown instanceof StatusError && thrown.code === 'unavailable') && !this.#signal.aborted) throw thrown;
    } finally {
      this.#isBusy = false;
    }
  }

  #take(): { readonly snapshot: Snapshot; readonly client: InventoryClient } | undefined {
    const next = this.#next;
    this.#next = undefined;
    return next;
  }
}
