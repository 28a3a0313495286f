import { durationFromMs } from '@bufbuild/protobuf/wkt';
import type { Delta, Snapshot, WatchInventoryResponse } from '@quartermaster/api/inventory';
import { Backoff, type Clock, messageOf, pause, type Random, StatusError, systemClock, systemRandom } from '@quartermaster/kernel';
import type { Link } from '../text/link.ts';
import type { InventoryConnection } from './inventory-connection.ts';

export interface FollowerOptions {
  /** Opens a new connection for every attempt, so that a server that moved is found. May throw. */
  readonly connect: () => InventoryConnection;
  /** Something changed: the inventory, the link, or both. Heartbeats count as well. Without a connection: it was lost. */
  readonly changed: (connection: InventoryConnection | undefined) => void;
  readonly clock?: Clock;
  readonly random?: Random;
}

const heartbeatMs = 5_000;
/** After so much silence a connection counts as broken, whatever it says of itself. */
const silenceMs = 3 * heartbeatMs;
// Waiting mends none of these, unless the same request was granted before.
const fatalCodes: ReadonlySet<string> = new Set(['unauthenticated', 'permission_denied', 'invalid_argument', 'failed_precondition']);

/**
 * Keeps the newest inventory. A connection that breaks changes nothing of what is known: it is marked as no longer confirmed, and the next
 * connection goes on where this one ended.
 */
export class InventoryFollower {
  readonly #options: FollowerOptions;
  readonly #clock: Clock;
  readonly #backoff: Backoff;
  #snapshot: Snapshot | undefined;
  #link: Link = { isLive: false, lastContactAt: undefined, reason: 'not connected yet' };
  #lastContactAt: number | undefined;
  #mustStartOver = false;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#backoff = new Backoff({ firstMs: 250, maxMs: 5_000, factor: 2 }, options.random ?? systemRandom);
  }

  /** Undefined until something was heard. */
  get snapshot(): Snapshot | undefined {
    return this.#snapshot;
  }

  get link(): Link {
    return this.#link;
  }

  /** Follows until the signal aborts. Throws only what trying again cannot mend. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const reason = await this.#attempt(signal);
      if (signal.aborted) return;
      this.#link = { isLive: false, lastContactAt: this.#lastContactAt, reason };
      this.#options.changed(undefined);
      await pause(this.#clock, this.#backoff.nextMs(), signal);
    }
  }

  /** One connection until it ends. Resolves with why it did. */
  async #attempt(signal: AbortSignal): Promise<string> {
    const silence = new AbortController();
    let cancel = (): void => {};
    const listen = (): void => {
      cancel();
      const tooLong = new StatusError('unavailable', `nothing was heard for ${silenceMs / 1000} s`);
      cancel = this.#clock.schedule(silenceMs, () => silence.abort(tooLong));
    };
    let connection: InventoryConnection | undefined;
    try {
      connection = this.#options.connect();
      listen();
      const from = this.#mustStartOver ? undefined : this.#snapshot?.generation;
      const request = { heartbeatInterval: durationFromMs(heartbeatMs), ...(from === undefined ? {} : { resumeFrom: from }) };
      for await (const answer of connection.client.watchInventory(request, { signal: AbortSignal.any([signal, silence.signal]) })) {
        listen();
        this.#take(answer);
        this.#options.changed(connection);
      }
      return 'the server ended the stream';
    } catch (thrown) {
      const failure = connection?.explained(thrown) ?? thrown;
      if (!signal.aborted && this.#isFatal(failure)) throw failure;
      return messageOf(failure);
    } finally {
      cancel();
      connection?.close();
    }
  }

  #isFatal(failure: unknown): boolean {
    return !(failure instanceof StatusError) || (this.#lastContactAt === undefined && fatalCodes.has(failure.code));
  }

  #take({ event }: WatchInventoryResponse): void {
    switch (event.case) {
      case 'snapshot':
        this.#snapshot = event.value;
        this.#mustStartOver = false;
        break;
      case 'delta':
        this.#snapshot = this.#after(event.value);
        break;
      case 'heartbeat':
        this.#confirm(event.value.completeness);
        break;
      default:
        return;
    }
    this.#lastContactAt = this.#clock.now();
    this.#link = { isLive: true };
    this.#backoff.reset();
  }

  #after(delta: Delta): Snapshot {
    const known = this.#snapshot;
    const { from } = delta;
    if (known === undefined || known.generation?.epoch !== from?.epoch || known.generation?.sequence !== from?.sequence) {
      this.#mustStartOver = true;
      throw new StatusError('unavailable', 'the server left out a change: everything is read again');
    }
    const { generation: _generation, observedAt: _observedAt, completeness: _completeness, totals: _totals, ...rest } = known;
    const { to, observedAt, completeness, totals } = delta;
    return {
      ...rest,
      nodes: merged(known.nodes, delta.nodes, delta.removedNodes),
      storage: merged(known.storage, delta.storage, delta.removedStorage),
      ...(to === undefined ? {} : { generation: to }),
      ...(observedAt === undefined ? {} : { observedAt }),
      ...(completeness === undefined ? {} : { completeness }),
      ...(totals === undefined ? {} : { totals }),
    };
  }

  #confirm(completeness: Snapshot['completeness']): void {
    if (this.#snapshot !== undefined && completeness !== undefined) this.#snapshot = { ...this.#snapshot, completeness };
  }
}

/** Sorted by name, as the server sends them. */
function merged<T extends { readonly name: string }>(old: T[], changed: readonly T[], removed: readonly string[]): T[] {
  if (changed.length === 0 && removed.length === 0) return old;
  const byName = new Map(old.map((each) => [each.name, each]));
  for (const name of removed) byName.delete(name);
  for (const each of changed) byName.set(each.name, each);
  return [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
