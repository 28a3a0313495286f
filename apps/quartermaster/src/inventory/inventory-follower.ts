import { durationFromMs } from '@bufbuild/protobuf/wkt';
import type { Delta, Generation, Snapshot, WatchInventoryResponse } from '@quartermaster/api/inventory';
import {
  type Clock,
  Follower,
  type FollowStatus,
  type FollowVerdict,
  messageOf,
  type Random,
  StatusError,
  systemClock,
  systemRandom,
} from '@quartermaster/kernel';
import { reconnectBackoff, watchConnections } from '../server/watch-connections.ts';
import { type Link, linkOf } from '../text/link.ts';
import type { InventoryConnection } from './inventory-connection.ts';

export interface FollowerOptions {
  /** Opens a new connection for every attempt, so that a server that moved is found. May throw. */
  readonly connect: () => InventoryConnection;
  /** Something changed: the inventory, the link, or both. Heartbeats count as well. Without a connection: it was lost. */
  readonly changed: (connection: InventoryConnection | undefined) => void;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
}

const heartbeatMs = 5_000;
const leftOut = { reason: 'CHANGE_LEFT_OUT' };
// Waiting mends none of these, unless the same request was granted before.
const fatalCodes: ReadonlySet<string> = new Set(['unauthenticated', 'permission_denied', 'invalid_argument', 'failed_precondition']);

/**
 * Keeps the newest inventory. A connection that breaks changes nothing of what is known: it is marked as no longer confirmed, and the next
 * connection goes on where this one ended.
 */
export class InventoryFollower {
  readonly #follower: Follower<WatchInventoryResponse, Generation>;
  #connection: InventoryConnection | undefined;
  #snapshot: Snapshot | undefined;

  constructor(options: FollowerOptions) {
    this.#follower = new Follower<WatchInventoryResponse, Generation>({
      watch: watchConnections(options.connect, (connection, resumeFrom, signal) => this.#watch(connection, resumeFrom, signal)),
      take: (answers) => {
        for (const { event } of answers) this.#take(event);
      },
      tokenOf: generationOf,
      judge,
      silenceMs: 3 * heartbeatMs,
      backoff: reconnectBackoff,
      clock: options.clock ?? systemClock,
      random: options.random ?? systemRandom,
      changed: () => options.changed(this.link.isLive ? this.#connection : undefined),
    });
  }

  /** Undefined until something was heard. */
  get snapshot(): Snapshot | undefined {
    return this.#snapshot;
  }

  get link(): Link {
    return linkOf(this.#follower.status(), (error) => (error === undefined ? 'the server ended the stream' : messageOf(error)));
  }

  /** Follows until the signal aborts. Throws only what trying again cannot mend. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#follower.run(signal);
  }

  async *#watch(
    connection: InventoryConnection,
    resumeFrom: Generation | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<WatchInventoryResponse> {
    this.#connection = connection;
    const request = { heartbeatInterval: durationFromMs(heartbeatMs), resumeFrom };
    for await (const answer of connection.client.watchInventory(request, { signal })) if (answer.event.case !== undefined) yield answer;
  }

  #take(event: WatchInventoryResponse['event']): void {
    switch (event.case) {
      case 'snapshot':
        this.#snapshot = event.value;
        break;
      case 'delta':
        this.#snapshot = this.#after(event.value);
        break;
      case 'heartbeat':
        this.#confirm(event.value.completeness);
        break;
      case undefined:
        break;
    }
  }

  #after(delta: Delta): Snapshot {
    const known = this.#snapshot;
    const { from } = delta;
    if (known === undefined || known.generation?.epoch !== from?.epoch || known.generation?.sequence !== from?.sequence) {
      throw new StatusError('unavailable', 'the server skipped a change: reading everything again', { details: leftOut });
    }
    const { to: generation, observedAt, completeness, totals } = delta;
    return {
      ...known,
      nodes: merged(known.nodes, delta.nodes, delta.removedNodes, nameOf),
      storage: merged(known.storage, delta.storage, delta.removedStorage, nameOf),
      leasePods: merged(known.leasePods, delta.leasePods, delta.removedLeasePods, uidOf),
      leaseVolumes: merged(known.leaseVolumes, delta.leaseVolumes, delta.removedLeaseVolumes, uidOf),
      generation,
      observedAt,
      completeness,
      totals,
    };
  }

  #confirm(completeness: Snapshot['completeness']): void {
    if (this.#snapshot !== undefined && completeness !== undefined) this.#snapshot = { ...this.#snapshot, completeness };
  }
}

function generationOf({ event }: WatchInventoryResponse): Generation | undefined {
  if (event.case === 'snapshot') return event.value.generation;
  return event.case === 'delta' ? event.value.to : undefined;
}

function judge(error: unknown, { heardAt }: FollowStatus): FollowVerdict {
  if (!(error instanceof StatusError)) return 'fail';
  if (error.details === leftOut) return 'restart';
  return heardAt === undefined && fatalCodes.has(error.code) ? 'fail' : 'resume';
}

const nameOf = ({ name }: { readonly name: string }): string => name;
const uidOf = ({ uid }: { readonly uid: string }): string => uid;

/** Sorted by what tells them apart; of nodes and classes that is the order in which the server sends them. */
function merged<T>(old: T[], changed: readonly T[], removed: readonly string[], keyOf: (each: T) => string): T[] {
  if (changed.length === 0 && removed.length === 0) return old;
  const byKey = new Map(old.map((each) => [keyOf(each), each]));
  for (const key of removed) byKey.delete(key);
  for (const each of changed) byKey.set(keyOf(each), each);
  return [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}
