import {
  type Clock,
  type Log,
  messageOf,
  pause,
  type Random,
  StatusError,
  silentLog,
  systemClock,
  systemRandom,
} from '@quartermaster/kernel';
import type { KubeReader, KubeWriter } from '../client/api.ts';
import { kinds } from '../generated/kinds.ts';
import type { Lease } from '../generated/shapes.ts';
import { isFailure } from '../transport/failure.ts';
import type { ElectionStatus, Leadership } from './leadership.ts';
import { holderAddress, withAddress } from './lease-address.ts';
import { isHeld, leaseLost, verifyHeld } from './lease-holder.ts';
import { sharedQuestion } from './shared-question.ts';

/*
 * One leader among many candidates, by a coordination.k8s.io/v1 Lease.
 *
 *   candidate ──(lease free, or unchanged for its whole duration as measured here)──► leader
 *   leader ──(renewal fails until the deadline, or another holder or term is seen)──► candidate
 *
 * No clock of another machine is ever compared. A candidate measures, on its own monotonic clock, how long it has seen the
 * lease unchanged, from the moment the answer arrived. A leader counts its deadline from the moment before it sent the
 * renewal that succeeded, and the deadline is shorter than the lease. So a leader knows that it has lost the lease before
 * any candidate may take it, however the wall clocks differ and whichever answers are lost. Every change of the Lease carries
 * the resourceVersion that was read.
 *
 * Whoever deletes the Lease takes that away: the next candidate creates another at once, and the leader finds out at its
 * next renewal. Until then there may be two.
 */

export interface LeaderElectionOptions {
  readonly client: KubeReader & KubeWriter;
  readonly namespace: string;
  readonly name: string;
  /** Unique for each process, for example the pod's name and a random part. */
  readonly identity: string;
  /** Where the other candidates reach this one while it leads: `host:port`. They are told in the Lease; without it, nothing. */
  readonly address?: string | undefined;
  /** Whole seconds in the Lease; how long a dead leader blocks the others. */
  readonly leaseDurationMs?: number | undefined;
  /** How long a leader goes on without a successful renewal. Shorter than the lease: the difference is the margin for clocks of different speed. */
  readonly renewDeadlineMs?: number | undefined;
  /** Time between renewals, and between a candidate's looks. */
  readonly retryIntervalMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly log?: Log | undefined;
}

interface Observation {
  readonly lease: Lease;
  /** When this version of the lease was first seen, by our monotonic clock. */
  readonly seenAt: number;
}

export class LeaderElection {
  readonly #options: { readonly [K in keyof LeaderElectionOptions]-?: NonNullable<LeaderElectionOptions[K]> };
  #observed: Observation | undefined;
  #heldUntil = Number.NEGATIVE_INFINITY;
  #term = 0;
  /** The highest that was seen in a Lease of this name, of any leader. */
  #highestTerm = -1;
  #lastError: string | undefined;
  /** The failure that was last said; forgotten with the next success. */
  #complained: string | undefined;

  constructor(options: LeaderElectionOptions) {
    this.#options = {
      ...options,
      address: options.address ?? '',
      leaseDurationMs: options.leaseDurationMs ?? 15_000,
      renewDeadlineMs: options.renewDeadlineMs ?? 10_000,
      retryIntervalMs: options.retryIntervalMs ?? 2_000,
      clock: options.clock ?? systemClock,
      random: options.random ?? systemRandom,
      log: options.log ?? silentLog,
    };
    const { leaseDurationMs, renewDeadlineMs, retryIntervalMs } = this.#options;
    if (leaseDurationMs % 1000 !== 0)
      throw new StatusError('invalid_argument', `leaseDurationMs must be whole seconds, not ${leaseDurationMs}: the Lease stores seconds`);
    if (!(leaseDurationMs > renewDeadlineMs && renewDeadlineMs > retryIntervalMs * 1.2)) {
      throw new StatusError(
        'invalid_argument',
        `leaseDurationMs (${leaseDurationMs}) must exceed renewDeadlineMs (${renewDeadlineMs}), and that 1.2 times retryIntervalMs (${retryIntervalMs})`,
      );
    }
  }

  status(): ElectionStatus {
    return {
      isLeader: this.#remainingMs() > 0,
      holder: this.#observed?.lease.spec?.holderIdentity,
      address: holderAddress(this.#observed?.lease),
      term: this.#term,
      lastError: this.#lastError,
    };
  }

  /**
   * Stands for election until the signal aborts. Calls `lead` each time it wins and waits for it to settle before it stands
   * again; `lead` must end soon after `leadership.signal` aborts. Gives the lease back when the signal aborts.
   */
  async run(lead: (leadership: Leadership) => Promise<void>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (await this.#tryAcquire(signal)) await this.#leadUntilLost(lead, signal);
      // Also after leading: a `lead` that fails at once must not spin, and another candidate gets its chance.
      await pause(this.#options.clock, this.#jittered(this.#options.retryIntervalMs), signal);
    }
  }

  async #leadUntilLost(lead: (leadership: Leadership) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { log, identity } = this.#options;
    const lost = new AbortController();
    const term = this.#term;
    const leadership: Leadership = {
      signal: lost.signal,
      term,
      remainingMs: () => (term === this.#term ? this.#remainingMs() : 0),
      assertHeld: () => {
        if (lost.signal.aborted || term !== this.#term || this.#remainingMs() <= 0) throw leaseLost(this.#options);
      },
      verify: sharedQuestion(() => verifyHeld(this.#options, term, lost.signal)),
    };
    log.info('became leader', { identity, term });
    const renewing = this.#renewUntilLost(lost, signal);
    const leading = Promise.resolve()
      .then(() => lead(leadership))
      .catch((error: unknown) => {
        if (!lost.signal.aborted) log.error('leading failed', { error });
      })
      .finally(() => lost.abort(leaseLost(this.#options)));
    await Promise.all([renewing, leading]);
    await this.#giveBack();
    log.info('stopped leading', { identity, term });
  }

  /** Returns when the lease is lost, `lead` has ended, or the signal aborts; `lost` is aborted by then. */
  async #renewUntilLost(lost: AbortController, signal: AbortSignal): Promise<void> {
    const { clock, retryIntervalMs } = this.#options;
    const ended = AbortSignal.any([lost.signal, signal]);
    while (!ended.aborted) {
      await pause(clock, Math.min(retryIntervalMs, Math.max(this.#remainingMs(), 0)), ended);
      if (ended.aborted || this.#remainingMs() <= 0) break;
      if (!(await this.#renew(ended))) break;
    }
    lost.abort(leaseLost(this.#options));
  }

  /** False once the lease is certainly lost; a failure that may pass is retried until the deadline. */
  async #renew(signal: AbortSignal): Promise<boolean> {
    const { client, clock, retryIntervalMs } = this.#options;
    const observed = this.#observed;
    if (observed === undefined) return false;
    const sentAt = clock.monotonic();
    try {
      const spec = { ...observed.lease.spec, renewTime: this.#microTime() };
      const lease = await client.replace(kinds.leases, { ...observed.lease, spec }, { signal, timeoutMs: Math.max(retryIntervalMs, 500) });
      this.#hold(lease, sentAt);
      return true;
    } catch (error) {
      this.#lastError = messageOf(error);
      if (isFailure(error, 'not-found')) return this.#lose();
      if (!isFailure(error, 'conflict')) return this.#remainingMs() > 0;
    }
    // Somebody changed the Lease: a person's edit may keep us holder, a renewal whose answer was lost is our own.
    const lease = await this.#read(signal);
    if (lease === undefined && this.#lastError !== undefined) return this.#remainingMs() > 0;
    return isHeld(lease, this.#options, this.#term) || this.#lose();
  }

  #lose(): false {
    this.#heldUntil = Number.NEGATIVE_INFINITY;
    return false;
  }

  async #tryAcquire(signal: AbortSignal): Promise<boolean> {
    const { client, namespace, name, address, clock } = this.#options;
    const lease = await this.#read(signal);
    if (signal.aborted || (lease === undefined && this.#lastError !== undefined)) return false;
    if (lease !== undefined && !this.#mayTake(lease)) return false;
    try {
      const spec = this.#claim(this.#highestTerm + 1);
      const sentAt = clock.monotonic();
      this.#take(
        lease === undefined
          ? await client.create(kinds.leases, { metadata: withAddress({ namespace, name }, address), spec }, { signal })
          : await client.replace(kinds.leases, { ...lease, metadata: withAddress(lease.metadata, address), spec }, { signal }),
        sentAt,
      );
      return true;
    } catch (error) {
      this.#complain(error, signal);
      return false;
    }
  }

  #mayTake(lease: Lease): boolean {
    const holder = lease.spec?.holderIdentity;
    if (holder === undefined || holder === '') return true;
    const durationMs = (lease.spec?.leaseDurationSeconds ?? 0) * 1000;
    return this.#observed !== undefined && this.#options.clock.monotonic() - this.#observed.seenAt > durationMs;
  }

  /** Says once what stands in the way, however often it is tried; losing to another candidate is nothing to complain of. */
  #complain(error: unknown, signal: AbortSignal): void {
    const { log, identity } = this.#options;
    const message = messageOf(error);
    this.#lastError = message;
    if (isFailure(error, 'conflict', 'already-exists') || signal.aborted || message === this.#complained) return;
    this.#complained = message;
    log.warn('could not acquire the lease', { identity, error: message });
  }

  /** The Lease as it is; undefined when there is none (no error then) or when it cannot be read (`#lastError` says why). */
  async #read(signal: AbortSignal): Promise<Lease | undefined> {
    const { client, namespace, name, renewDeadlineMs } = this.#options;
    try {
      const lease = await client.find(kinds.leases, { namespace, name }, { signal, timeoutMs: renewDeadlineMs });
      this.#lastError = undefined;
      if (lease === undefined) this.#observed = undefined;
      else if (lease.metadata?.resourceVersion !== this.#observed?.lease.metadata?.resourceVersion) {
        this.#observe(lease);
      }
      return lease;
    } catch (error) {
      this.#lastError = messageOf(error);
      return undefined;
    }
  }

  #take(lease: Lease, sentAt: number): void {
    this.#term = lease.spec?.leaseTransitions ?? 0;
    this.#hold(lease, sentAt);
  }

  #observe(lease: Lease): void {
    this.#observed = { lease, seenAt: this.#options.clock.monotonic() };
    this.#highestTerm = Math.max(this.#highestTerm, lease.spec?.leaseTransitions ?? 0);
  }

  #hold(lease: Lease, sentAt: number): void {
    this.#observe(lease);
    this.#heldUntil = sentAt + this.#options.renewDeadlineMs;
    this.#lastError = undefined;
    this.#complained = undefined;
  }

  /** Lets the next candidate in at once. Only while the lease is certainly ours; otherwise it runs out by itself. */
  async #giveBack(): Promise<void> {
    const { client, renewDeadlineMs } = this.#options;
    const observed = this.#observed;
    const mayGiveBack = this.#remainingMs() > 0;
    this.#heldUntil = Number.NEGATIVE_INFINITY;
    if (!mayGiveBack || observed === undefined) return;
    try {
      const spec = { ...observed.lease.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: this.#microTime() };
      const lease = { ...observed.lease, metadata: withAddress(observed.lease.metadata, ''), spec };
      await client.replace(kinds.leases, lease, { timeoutMs: renewDeadlineMs });
    } catch (error) {
      this.#options.log.debug('could not release the lease', { error: messageOf(error) });
    }
  }

  #claim(term: number): NonNullable<Lease['spec']> {
    const { identity, leaseDurationMs } = this.#options;
    const now = this.#microTime();
    return {
      holderIdentity: identity,
      leaseDurationSeconds: leaseDurationMs / 1000,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: term,
    };
  }

  #remainingMs(): number {
    return this.#heldUntil - this.#options.clock.monotonic();
  }

  /** For people who read the Lease; no decision is made on it. */
  #microTime(): string {
    return new Date(this.#options.clock.now()).toISOString().replace('Z', '000Z');
  }

  #jittered(ms: number): number {
    return ms * (1 + 0.2 * this.#options.random.next());
  }
}
