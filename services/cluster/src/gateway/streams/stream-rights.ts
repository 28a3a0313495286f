import { type Clock, type Log, messageOf } from '@quartermaster/kernel';
import type { OwnerKeys } from '../who/owner-keys.ts';
import type { Tenant } from '../who/tenant.ts';
import { closeCodes, StreamEnd } from './close-codes.ts';

export interface StreamRightsOptions {
  readonly keys: Pick<OwnerKeys, 'of'>;
  /** Whether a lease is open, by the name of its order. */
  readonly isOpen: (name: string) => boolean;
  readonly clock: Clock;
  readonly log: Pick<Log, 'debug'>;
  /** No stream lasts longer. */
  readonly longestMs: number;
}

/** A stream that is open. */
export interface OpenStream {
  readonly tenant: Tenant;
  /** Of the lease's order. */
  readonly lease: string;
  /** Ends it when nothing was said for so long; never unless given. */
  readonly idleMs?: number | undefined;
}

interface Followed extends OpenStream {
  readonly since: number;
  saidAt: number;
  readonly end: (why: StreamEnd) => void;
}

const lookEveryMs = 1_000;

/** Ends streams with the right to them: when the token or the certificate ends, its key is revoked, or the lease is over; and when they last too long. While that cannot be told, they go on. */
export class StreamRights {
  readonly #options: StreamRightsOptions;
  readonly #open = new Set<Followed>();
  #cancel: (() => void) | undefined;

  constructor(options: StreamRightsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Follows a stream from now on. `said` is to be told of each message of it, `stop` once it is over. */
  follow(stream: OpenStream, end: (why: StreamEnd) => void): { readonly said: () => void; readonly stop: () => void } {
    const { clock } = this.#options;
    const since = clock.monotonic();
    const followed: Followed = { ...stream, since, saidAt: since, end };
    this.#open.add(followed);
    this.#lookLater();
    return {
      said: () => void (followed.saidAt = clock.monotonic()),
      stop: () => void this.#open.delete(followed),
    };
  }

  /** Ends all of them, for a process that stops. */
  endAll(): void {
    for (const { end } of this.#open) end(new StreamEnd(closeCodes.restarting, 'the gateway is being restarted: connect again'));
  }

  #lookLater(): void {
    if (this.#cancel !== undefined || this.#open.size === 0) return;
    this.#cancel = this.#options.clock.schedule(lookEveryMs, () => {
      this.#cancel = undefined;
      this.#look();
      this.#lookLater();
    });
  }

  #look(): void {
    const owners = new Map<string, Followed[]>(); // owner -> its streams that may go on as far as is known here
    for (const stream of this.#open) {
      const why = this.#overdue(stream);
      if (why === undefined) owners.set(stream.tenant.owner, [...(owners.get(stream.tenant.owner) ?? []), stream]);
      else stream.end(why);
    }
    for (const [owner, streams] of owners) {
      this.#lookAtKeys(owner, streams).catch((thrown: unknown) =>
        this.#options.log.debug('it cannot be told whether keys still count', { owner, error: messageOf(thrown) }),
      );
    }
  }

  #overdue({ tenant, lease, since, saidAt, idleMs }: Followed): StreamEnd | undefined {
    const { clock, isOpen, longestMs } = this.#options;
    const [now, wall] = [clock.monotonic(), clock.now()];
    if (tenant.endsAt <= wall) return new StreamEnd(closeCodes.rightEnded, `the ${tenant.proof} expired: show a new one`);
    if (!isOpen(lease)) return new StreamEnd(closeCodes.rightEnded, 'the lease is closed');
    if (now - since >= longestMs) return new StreamEnd(closeCodes.limit, `open for ${seconds(longestMs)}: connect again`);
    if (idleMs !== undefined && now - saidAt >= idleMs) return new StreamEnd(closeCodes.limit, `nothing was said for ${seconds(idleMs)}`);
    return undefined;
  }

  async #lookAtKeys(owner: string, streams: readonly Followed[]): Promise<void> {
    const known = new Set((await this.#options.keys.of(owner)).map(({ fingerprint }) => fingerprint));
    for (const { tenant, end } of streams)
      if (!known.has(tenant.fingerprint)) end(new StreamEnd(closeCodes.rightEnded, `the key of the ${tenant.proof} was revoked`));
  }
}

const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;
