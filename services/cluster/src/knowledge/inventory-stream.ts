import { durationFromMs } from '@bufbuild/protobuf/wkt';
import { type Cluster, ClusterRPC } from '@quartermaster/api/akash-inventory';
import { type Generation, InventoryService, type WatchInventoryResponse } from '@quartermaster/api/inventory';
import {
  type Clock,
  Follower,
  type FollowStatus,
  type FollowVerdict,
  type Random,
  StatusError,
  type Watch,
  type WatchEvents,
  watchOf,
} from '@quartermaster/kernel';
import { isUnimplemented, type RpcChannel } from '@quartermaster/rpc';
import { leftOut } from './delta-reader.ts';

export type InventoryMessage =
  | { readonly protocol: 'deltas'; readonly event: WatchInventoryResponse['event'] }
  | { readonly protocol: 'snapshots'; readonly cluster: Cluster };

export interface InventoryStreamOptions {
  /** Opens a new connection for every stream, so that a server that moved is found. May throw. */
  readonly connect: () => Promise<RpcChannel>;
  /** Throws to hear it again: from a snapshot on, unless the failure says that the server is unavailable. */
  readonly take: (message: InventoryMessage) => void;
  /** Called after every break. */
  readonly changed: () => void;
  /** Of the poll beside the stream, from which a server without heartbeats is heard. */
  readonly pollMs: number;
  readonly clock: Clock;
  readonly random: Random;
}

const heartbeatMs = 5_000;
const backoff = { firstMs: 250, maxMs: 5_000, factor: 2 };

/** The stream of an inventory, over all its breaks. Which protocol a server speaks is found anew with every stream. */
export class InventoryStream {
  readonly #options: InventoryStreamOptions;
  readonly #follower: Follower<InventoryMessage, Generation>;
  #connection: RpcChannel | undefined;
  #events: WatchEvents<InventoryMessage> | undefined;

  constructor(options: InventoryStreamOptions) {
    this.#options = options;
    this.#follower = new Follower<InventoryMessage, Generation>({
      watch: this.#watch(),
      take: (messages) => messages.forEach(options.take),
      tokenOf: generationOf,
      judge,
      silenceMs: 3 * Math.max(heartbeatMs, options.pollMs),
      backoff,
      clock: options.clock,
      random: options.random,
      changed: options.changed,
    });
  }

  /** Of the stream that is open. */
  get connection(): RpcChannel | undefined {
    return this.#connection;
  }

  status(): FollowStatus {
    return this.#follower.status();
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#follower.run(signal);
  }

  /** The server was heard beside the stream. */
  sound(): void {
    this.#events?.sound();
  }

  /** Reads everything again. */
  restart(): void {
    this.#follower.forget();
    this.#follower.reopen();
  }

  #watch(): Watch<InventoryMessage, Generation> {
    const watch = watchOf((from: Generation | undefined, signal) => this.#messages(from, signal));
    return (from, on) => {
      this.#events = on;
      return watch(from, on);
    };
  }

  async *#messages(resumeFrom: Generation | undefined, signal: AbortSignal): AsyncGenerator<InventoryMessage> {
    const connection = await this.#options.connect();
    this.#connection = connection;
    try {
      const request = { heartbeatInterval: durationFromMs(heartbeatMs), resumeFrom };
      for await (const { event } of connection.client(InventoryService).watchInventory(request, { signal })) {
        if (event.case !== undefined) yield { protocol: 'deltas', event };
      }
    } catch (thrown) {
      if (!isUnimplemented(thrown)) throw thrown;
      for await (const cluster of connection.client(ClusterRPC).streamCluster({}, { signal })) yield { protocol: 'snapshots', cluster };
    } finally {
      if (this.#connection === connection) this.#connection = undefined;
      connection.close();
    }
  }
}

function generationOf(message: InventoryMessage): Generation | undefined {
  if (message.protocol === 'snapshots') return undefined;
  const { event } = message;
  if (event.case === 'snapshot') return event.value.generation;
  return event.case === 'delta' ? event.value.to : undefined;
}

function judge(error: unknown): FollowVerdict {
  return error instanceof StatusError && error.details !== leftOut ? 'resume' : 'restart';
}
