import type { ManifestGroup } from '@quartermaster/api/lease-manifest';
import { codeOf, messageOf } from '@quartermaster/kernel';
import { isSensitive } from '../manifest/sensitive-env.ts';
import type { ReceivedManifest } from '../market/market.ts';
import type { LeaseAt, LeaseContext } from './lease-context.ts';
import { advance } from './lease-transitions.ts';
import { type RefusedManifest, refusedAgain } from './refused-manifest.ts';
import { isReadable, storeManifest, takeManifest } from './take-manifest.ts';

/**
 * So many new manifests of a lease, and of an owner, are judged within `judgedForMs`. Of those that come beyond that the newest of each lease counts, once one of the former is
 * so old.
 */
const judgedAtOnce = { ofLease: 5, ofOwner: 40 };
const judgedForMs = 60_000;
/** Leases of one owner whose manifests are fetched at the same time: there are more workers, and the others are for others, however long the market takes. */
const fetchedAtOnce = 4;
/** After which so many more of an owner are looked at that had to wait. */
const laterMs = 200;
const longestLaterMs = 10_000;

/** Has leases run the manifests that the market has of them. Of one term. */
export class ManifestFetcher {
  readonly #context: LeaseContext;
  readonly #refused = new Map<string, RefusedManifest>(); // lease -> the market's manifest that was refused last
  readonly #judgedOfLease = new RecentTimes(judgedAtOnce.ofLease);
  readonly #judgedOfOwner = new RecentTimes(judgedAtOnce.ofOwner);
  readonly #fetching = new Map<string, number>(); // owner -> leases whose manifests are fetched now
  readonly #waiting = new Map<string, string>(); // lease that had to wait for others of its owner -> owner

  constructor(context: LeaseContext) {
    this.#context = context;
  }

  forget(name: string): void {
    this.#refused.delete(name);
    this.#judgedOfLease.forget(name);
    this.#waiting.delete(name);
  }

  /**
   * Where the market has another manifest than the one that is stored, it was not refused just now, and not too many of its owner are fetched already. Tells in how many ms
   * it is worth calling again although nothing was heard of the lease; undefined: it is not.
   */
  async fetch(at: LeaseAt): Promise<number | undefined> {
    const { view, manifests, clock } = this.#context;
    const { name, lease, record } = at;
    this.#waiting.delete(name);
    const hash = view.of(name).lease?.manifestHash;
    if (hash === undefined) return undefined;
    const shown = manifests.shown(record.namespace);
    if (shown?.hash === hash && isReadable(manifests, record.namespace)) {
      if (this.#showsSecrets(shown.group)) await this.#hideSecrets(at);
      return await this.#accept(at);
    }
    const refused = this.#refused.get(name);
    const last = refused?.hash === hash ? refused : undefined;
    const now = clock.monotonic();
    if (last !== undefined && now < last.againAt) return last.againAt - now;
    // Each costs the market a read of the SDL, and one that is taken dozens of writes and new pods: an account that sends them without end holds up nobody else.
    const judgedMs = last === undefined ? Math.max(this.#judgedOfLease.waitMs(name, now), this.#ownersWaitMs(at, now)) : 0;
    if (judgedMs > 0) return judgedMs;
    if ((this.#fetching.get(lease.owner) ?? 0) >= fetchedAtOnce) return this.#later(name, lease.owner);
    this.#countFetching(lease.owner, 1);
    try {
      return await this.#fetchNow(at, hash, last);
    } finally {
      this.#countFetching(lease.owner, -1);
    }
  }

  /** Stored while fewer variables were to be secret: the values of those that were are not shown. */
  #showsSecrets({ services }: ManifestGroup): boolean {
    const { sensitiveEnv } = this.#context.settings.objects;
    return services.some(({ env }) => env.some(({ name, value }) => value !== '' && isSensitive(name, sensitiveEnv)));
  }

  /** Nobody judges it anew: it runs. What keeps it from being stored keeps nothing else of the lease up. */
  async #hideSecrets(at: LeaseAt): Promise<void> {
    const stored = this.#context.manifests.of(at.record.namespace);
    if (stored === undefined) return;
    await storeManifest(this.#context, at, stored).catch((thrown: unknown) => {
      if (at.signal.aborted) throw thrown;
      this.#context.log.warn('a Manifest that shows what is secret by now cannot be stored again', {
        lease: at.name,
        error: messageOf(thrown),
      });
    });
  }

  async #fetchNow(at: LeaseAt, hash: string, last: RefusedManifest | undefined): Promise<number | undefined> {
    const { clock } = this.#context;
    const { name } = at;
    const received = await this.#receive(at, hash, last);
    if (last === undefined) this.#noteJudged(at);
    // The market has a newer one by now, and will be read again.
    if (received !== undefined && (received.hash === undefined || received.hash === hash)) {
      const verdict = await takeManifest(this.#context, at, received);
      if (verdict.kind === 'refused') this.#refused.set(name, refusedAgain(hash, verdict.reasons, last, clock.monotonic()));
      else this.#refused.delete(name);
    }
    const refused = this.#refused.get(name);
    return refused?.hash === hash ? refused.waitMs : undefined;
  }

  /** The tenant has gone back to what is stored: what was refused in between is nobody's wish any more. */
  async #accept({ name, record }: LeaseAt): Promise<undefined> {
    this.#refused.delete(name);
    if (record.refused === undefined) return;
    const { records, writer } = this.#context;
    await records.change(writer, name, (before) => ({ ...before, refused: undefined }));
  }

  /** Those that wait come one after the other, rather than all of them again and again. */
  #later(name: string, owner: string): number {
    this.#waiting.set(name, owner);
    const waiting = [...this.#waiting.values()].filter((each) => each === owner).length;
    return Math.min(Math.ceil(waiting / fetchedAtOnce) * laterMs, longestLaterMs);
  }

  #countFetching(owner: string, change: number): void {
    const count = (this.#fetching.get(owner) ?? 0) + change;
    if (count === 0) this.#fetching.delete(owner);
    else this.#fetching.set(owner, count);
  }

  #ownersWaitMs(at: LeaseAt, now: number): number {
    return isFirst(at) ? 0 : this.#judgedOfOwner.waitMs(at.lease.owner, now);
  }

  #noteJudged(at: LeaseAt): void {
    const now = this.#context.clock.monotonic();
    this.#judgedOfLease.note(at.name, now);
    if (!isFirst(at)) this.#judgedOfOwner.note(at.lease.owner, now);
  }

  async #receive(at: LeaseAt, hash: string, last: RefusedManifest | undefined): Promise<ReceivedManifest | undefined> {
    const { market, records, writer, clock } = this.#context;
    try {
      return await market.manifestOf(at.lease, at.signal);
    } catch (thrown) {
      // Only another manifest helps, and only the tenant can send one: it has to know.
      if (codeOf(thrown) !== 'failed_precondition') throw thrown;
      const reason = { code: 'ManifestUnavailable', message: `the market does not hand over the manifest: ${messageOf(thrown)}` };
      const event = { kind: 'manifest-refused', hash, reason: reason.code, message: reason.message } as const;
      await records.change(writer, at.name, (before) => advance(before, event, clock.now()));
      this.#refused.set(at.name, refusedAgain(hash, [reason], last, clock.monotonic()));
      return undefined;
    }
  }
}

/** It is no update, and waits for none: how many leases an owner gets at once is a question of what is free. */
const isFirst = ({ record }: LeaseAt): boolean => record.manifestHash === undefined && record.refused === undefined;

/** When something was done lately for somebody, by the monotonic clock. */
class RecentTimes {
  readonly #most: number;
  readonly #times = new Map<string, readonly number[]>(); // for whom -> when, of the last `judgedForMs`; who had none for longest comes first

  constructor(most: number) {
    this.#most = most;
  }

  /** How long it must not be done once more; 0: it may be. */
  waitMs(key: string, now: number): number {
    const recent = this.#recent(key, now);
    const first = recent[recent.length - this.#most];
    return first === undefined ? 0 : first + judgedForMs - now;
  }

  note(key: string, now: number): void {
    const recent = [...this.#recent(key, now), now];
    this.#times.delete(key);
    this.#times.set(key, recent);
    for (const oldest of this.#times.keys()) {
      if (this.#recent(oldest, now).length > 0) return;
      this.#times.delete(oldest);
    }
  }

  forget(key: string): void {
    this.#times.delete(key);
  }

  #recent(key: string, now: number): readonly number[] {
    return (this.#times.get(key) ?? []).filter((time) => now - time < judgedForMs);
  }
}
