/**
 * How often each caller may call. Every caller has a bucket of requests that fills up steadily: it may take what has gathered at once, and then as much as comes in. A
 * stream is one request. Who is known is counted by name, whether or not it may make the call. Who is not is counted by address, from when a call arrives: once that bucket
 * is empty, calls from the address are turned away before anybody looks at what they show, but for tokens that were accepted lately. A call that turns out to be of
 * somebody known is given back to the address. So one who guesses tokens behind a proxy, however many at once, keeps nobody out who is known there.
 */
import { hash } from 'node:crypto';
import { type Clock, StatusError } from '@quartermaster/kernel';
import type { Identity } from './authentication.ts';

export interface CallLimitOptions {
  /** Of a caller that is known, on average. Those that are not have a tenth of it. */
  readonly perSecond: number;
  /** The setting that says so, for messages; undefined where none does. */
  readonly setting?: string | undefined;
  readonly clock: Clock;
}

/** A caller that was quiet may ask for so many seconds' worth at once. */
const burstSeconds = 4;
const unknownShare = 0.1;
const maxBuckets = 10_000;
const maxUndecided = 10_000;
const maxAccepted = 1_000;

interface Bucket {
  left: number;
  /** On the monotonic clock. */
  at: number;
}

export class CallLimits {
  readonly #perSecond: number;
  readonly #setting: string | undefined;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>(); // caller -> what is left to it; the least recently used first
  readonly #undecided = new Map<string, number>(); // address and hash of a token -> calls that its bucket paid for; the least recently used first
  readonly #accepted = new Map<string, true>(); // hashes of tokens; the least recently used first

  constructor({ perSecond, setting, clock }: CallLimitOptions) {
    this.#perSecond = perSecond;
    this.#setting = setting;
    this.#clock = clock;
  }

  /** To be called before it is found out who calls. */
  arrived(peer: string, token: string | undefined): void {
    if (token !== undefined && this.#accepted.has(hashOf(token))) return;
    this.#take(addressOf(peer), unknownShare);
    const key = arrivalOf(peer, token);
    touch(this.#undecided, key, (this.#undecided.get(key) ?? 0) + 1, maxUndecided);
  }

  /** The caller showed nothing that counts. A token that did before is like any other from now on. */
  refused(peer: string, token?: string): void {
    const isPaid = this.#decide(peer, token);
    if (token === undefined) return;
    this.#accepted.delete(hashOf(token));
    if (isPaid) return;
    const bucket = this.#bucketOf(addressOf(peer), this.#perSecond * unknownShare);
    bucket.left = Math.max(bucket.left - 1, 0);
  }

  /** The caller showed what counts: its arrival costs its address nothing. */
  admitted(peer: string, token?: string): void {
    if (this.#decide(peer, token)) this.#bucketOf(addressOf(peer), this.#perSecond * unknownShare).left += 1;
  }

  /** Counts the call of a caller, which is known or needs not be. */
  called(identity: Identity, peer: string, token: string | undefined): void {
    const key = callerKey(identity, peer);
    if (identity.kind === 'anonymous') {
      if (!this.#decide(peer, token)) this.#take(key, unknownShare);
      return;
    }
    this.admitted(peer, token);
    if (token !== undefined && identity.kind === 'token') touch(this.#accepted, hashOf(token), true, maxAccepted);
    this.#take(key, 1, identity.name);
  }

  /** Whether the bucket of the address paid for the call. */
  #decide(peer: string, token: string | undefined): boolean {
    const key = arrivalOf(peer, token);
    const calls = this.#undecided.get(key) ?? 0;
    if (calls > 1) this.#undecided.set(key, calls - 1);
    else this.#undecided.delete(key);
    return calls > 0;
  }

  #take(key: string, share: number, name = key): void {
    const perSecond = this.#perSecond * share;
    const bucket = this.#bucketOf(key, perSecond);
    if (bucket.left >= 1) {
      bucket.left -= 1;
      return;
    }
    const raised = this.#setting === undefined ? '' : `, or have ${this.#setting} raised`;
    const retryAfterMs = Math.ceil(((1 - bucket.left) * 1000) / perSecond);
    throw new StatusError(
      'resource_exhausted',
      `${name} makes more than ${perSecond} requests per second: try again in ${retryAfterMs} ms and ask less often${raised}`,
      { details: { retryAfterMs, limitPerSecond: perSecond } },
    );
  }

  #bucketOf(key: string, perSecond: number): Bucket {
    const now = this.#clock.monotonic();
    const most = Math.max(perSecond * burstSeconds, 1);
    const before = this.#buckets.get(key) ?? { left: most, at: now };
    const bucket = { left: Math.min(before.left + ((now - before.at) * perSecond) / 1000, most), at: now };
    touch(this.#buckets, key, bucket, maxBuckets);
    return bucket;
  }
}

/** Who is known by name, and the same name proven in another way as another; everybody else by address. */
export const callerKey = (identity: Identity, peer: string): string =>
  identity.kind === 'anonymous' ? addressOf(peer) : `${identity.kind} ${identity.vouchedBy ?? ''} ${identity.name}`;

const hashOf = (token: string): string => hash('sha256', token, 'base64');

/** `192.0.2.7` of `192.0.2.7:51432`. */
const addressOf = (peer: string): string => peer.replace(/:\d*$/, '');

const arrivalOf = (peer: string, token: string | undefined): string => `${addressOf(peer)} ${token === undefined ? '' : hashOf(token)}`;

function touch<T>(map: Map<string, T>, key: string, value: T, max: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) map.delete(oldest);
}
