import { FakeClock, StatusError, seededRandom } from '@quartermaster/kernel';
import { afterEach, describe, expect, it } from 'vitest';
import type { KubeReader, KubeWriter } from '../client/api.ts';
import type { Lease } from '../generated/shapes.ts';
import type { KubeFailure } from '../transport/failure.ts';
import { LeaderElection } from './leader-election.ts';
import type { Leadership } from './leadership.ts';

/** One Lease, which can be deleted. API servers differ in what they say to a renewal then. */
class Leases {
  readonly #whenGone: KubeFailure;
  #version = 0;
  lease: Lease | undefined;
  /** Reads so far, and what each of them waits for before it is answered with what was there when it came. */
  reads = 0;
  answering: Promise<void> | undefined;

  constructor(whenGone: KubeFailure) {
    this.#whenGone = whenGone;
  }

  readonly find = async (): Promise<Lease | undefined> => {
    const { lease } = this;
    this.reads += 1;
    await this.answering;
    return lease;
  };

  readonly create = async (_type: unknown, lease: Lease): Promise<Lease> => this.#store(lease);

  readonly replace = async (_type: unknown, lease: Lease): Promise<Lease> => {
    if (this.lease === undefined) throw new StatusError('not_found', 'update leases a/b', { details: this.#whenGone });
    if (lease.metadata?.resourceVersion !== this.lease.metadata?.resourceVersion)
      throw new StatusError('aborted', 'update leases a/b', { details: { kind: 'conflict', causes: [] } satisfies KubeFailure });
    return this.#store(lease);
  };

  /** By hand. */
  edit(changed: Lease['spec']): void {
    this.#store({ ...this.lease, spec: { ...this.lease?.spec, ...changed } });
  }

  #store(lease: Lease): Lease {
    this.#version += 1;
    this.lease = { ...lease, metadata: { ...lease.metadata, resourceVersion: `${this.#version}` } };
    return this.lease;
  }
}

describe('LeaderElection', () => {
  const ends: (() => Promise<void>)[] = [];

  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  function stand(leases: Leases, clock: FakeClock, address?: string) {
    const election = new LeaderElection({
      // Of the client, the election uses these.
      client: leases as unknown as KubeReader & KubeWriter,
      namespace: 'a',
      name: 'b',
      identity: 'one',
      address,
      clock,
      random: seededRandom(1),
    });
    const terms: number[] = [];
    const led: Leadership[] = [];
    const ending = new AbortController();
    const running = election.run(async (leadership) => {
      const { term, signal } = leadership;
      terms.push(term);
      led.push(leadership);
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    }, ending.signal);
    ends.push(async () => {
      ending.abort();
      await running;
    });
    return { election, terms, led };
  }

  it.each([{ kind: 'not-found' }, { kind: 'conflict', causes: [] }] as const)(
    'has lost a Lease that was deleted at its next renewal ($kind), and begins no earlier term again',
    async (whenGone) => {
      const clock = new FakeClock();
      const leases = new Leases(whenGone);
      leases.lease = { metadata: { resourceVersion: '0' }, spec: { holderIdentity: '', leaseTransitions: 6 } };
      const { election, terms } = stand(leases, clock);
      await clock.advance(0);
      expect(election.status()).toMatchObject({ isLeader: true, term: 7 });
      leases.lease = undefined;
      await clock.advance(2_000);
      expect(election.status().isLeader).toBe(false);
      await clock.advance(3_000);
      expect(terms).toEqual([7, 8]);
      expect(election.status()).toMatchObject({ isLeader: true, term: 8 });
    },
  );

  it.each([{ holderIdentity: 'two' }, { leaseTransitions: 9 }, { leaseTransitions: 2 }])(
    'has lost a Lease that was changed to %j: at once where it is verified, else at its next renewal',
    async (changed) => {
      const clock = new FakeClock();
      const leases = new Leases({ kind: 'not-found' });
      leases.lease = { metadata: { resourceVersion: '0' }, spec: { holderIdentity: '', leaseTransitions: 6 } };
      const { election, terms, led } = stand(leases, clock);
      await clock.advance(0);
      await led[0]?.verify();
      leases.edit(changed);
      await expect(led[0]?.verify()).rejects.toMatchObject({ code: 'failed_precondition' });
      await clock.advance(2_000);
      expect(election.status().isLeader).toBe(false);
      expect(led[0]?.signal.aborted).toBe(true);
      // It takes it again as any other candidate would, in a term of its own.
      await clock.advance(20_000);
      expect(terms).toEqual([7, Math.max(7, changed.leaseTransitions ?? 0) + 1]);
      await led[1]?.verify();
    },
  );

  it('keeps a Lease in which something else was changed', async () => {
    const clock = new FakeClock();
    const leases = new Leases({ kind: 'not-found' });
    const { election, terms, led } = stand(leases, clock);
    await clock.advance(0);
    leases.edit({ renewTime: '2020-01-01T00:00:00.000000Z' });
    await clock.advance(10_000);
    expect(election.status().isLeader).toBe(true);
    expect(terms).toEqual([0]);
    await led[0]?.verify();
  });

  it('asks the server once for all who want to know at the same time, and never tells anybody what was asked before', async () => {
    const clock = new FakeClock();
    const leases = new Leases({ kind: 'not-found' });
    const { led } = stand(leases, clock);
    await clock.advance(0);
    const answered = Promise.withResolvers<void>();
    leases.answering = answered.promise;
    const before = leases.reads;
    const verify = async () => await led[0]?.verify();
    const early = [verify(), verify()];
    await clock.advance(0);
    leases.edit({ holderIdentity: 'two' });
    const late = Array.from({ length: 100 }, verify);
    await clock.advance(0);
    expect(leases.reads - before).toBe(1);
    answered.resolve();
    expect((await Promise.allSettled(early)).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(new Set((await Promise.allSettled(late)).map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect(leases.reads - before).toBe(2);
  });

  it('says in the Lease where it is reached while it leads, and nothing of whoever led before', async () => {
    const clock = new FakeClock();
    const leases = new Leases({ kind: 'not-found' });
    const former = { 'quartermaster.dev/address': '10.0.0.1:1', other: 'kept' };
    leases.lease = { metadata: { resourceVersion: '0', annotations: former }, spec: { holderIdentity: '', leaseTransitions: 1 } };
    const { election } = stand(leases, clock, '10.0.0.2:1');
    await clock.advance(0);
    expect(election.status()).toMatchObject({ isLeader: true, holder: 'one', address: '10.0.0.2:1' });
    await clock.advance(2_000);
    expect(leases.lease?.metadata?.annotations).toEqual({ 'quartermaster.dev/address': '10.0.0.2:1', other: 'kept' });
    await ends.splice(0)[0]?.();
    expect(leases.lease?.metadata?.annotations).toEqual({ other: 'kept' });

    leases.lease = { metadata: { resourceVersion: '0', annotations: former }, spec: { holderIdentity: '', leaseTransitions: 1 } };
    const without = stand(leases, clock);
    await clock.advance(0);
    expect(without.election.status()).toMatchObject({ isLeader: true, address: undefined });
  });
});
