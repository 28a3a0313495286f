import { timestampMs } from '@bufbuild/protobuf/wkt';
import { IpPoolService, type Pool } from '@quartermaster/api/ip';
import { type Clock, type Log, messageOf, pause, StatusError } from '@quartermaster/kernel';
import type { RpcChannel } from '@quartermaster/rpc';
import type { IpPool } from '../model/knowledge.ts';
import { safe } from './safe-amount.ts';

export interface IpPoolPollOptions {
  readonly connect: () => Promise<RpcChannel>;
  /** Undefined once the last answer is too old. */
  readonly changed: (pool: IpPool | undefined) => void;
  readonly pollMs: number;
  readonly maxAgeMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Asks again and again how many addresses there are. An answer counts for as long as it is fresh: from when it was observed, and from when it was asked for. */
export class IpPoolPoll {
  readonly #options: IpPoolPollOptions;
  #cancel: () => void = () => {};
  #error: string | undefined;

  constructor(options: IpPoolPollOptions) {
    this.#options = options;
  }

  /** Why the last question was not answered. */
  get error(): string | undefined {
    return this.#error;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { connect, pollMs, clock, log } = this.#options;
    let channel: RpcChannel | undefined;
    while (!signal.aborted) {
      try {
        channel ??= await connect();
        await this.#ask(channel, signal);
        this.#error = undefined;
      } catch (thrown) {
        channel?.close();
        channel = undefined;
        const error = messageOf(thrown);
        if (!signal.aborted && error !== this.#error) log.warn('the pool of addresses cannot be read', { error });
        this.#error = error;
      }
      await pause(clock, pollMs, signal);
    }
    this.#cancel();
    channel?.close();
  }

  async #ask(channel: RpcChannel, signal: AbortSignal): Promise<void> {
    const { changed, maxAgeMs, clock } = this.#options;
    const askedAt = clock.monotonic();
    const { pool } = await channel.client(IpPoolService).getPool({}, { signal });
    const read = readPool(pool);
    const ageMs = Math.max(clock.now() - read.observedAt, clock.monotonic() - askedAt);
    if (ageMs > maxAgeMs) throw new StatusError('unavailable', `the pool was observed ${Math.round(ageMs / 1000)} s ago`);
    this.#cancel();
    this.#cancel = clock.schedule(maxAgeMs - ageMs, () => changed(undefined));
    changed(read);
  }
}

function readPool(pool: Pool | undefined): IpPool {
  if (pool?.observedAt === undefined) throw new StatusError('unavailable', 'the answer does not say when the pool was observed');
  const byNamespace = new Map<string, number>();
  for (const { namespaceUid, inUse, reserved } of pool.leases) {
    if (namespaceUid === undefined) continue;
    byNamespace.set(namespaceUid, (byNamespace.get(namespaceUid) ?? 0) + safe(inUse + reserved, 'leases'));
  }
  return { total: safe(pool.total, 'total'), free: safe(pool.free, 'free'), byNamespace, observedAt: timestampMs(pool.observedAt) };
}
