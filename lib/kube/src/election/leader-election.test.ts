import { FakeClock, StatusError, seededRandom } from '@quartermaster/kernel';
import { afterEach, describe, expect, it } from 'vitest';
import type { KubeReader, KubeWriter } from '../client/api.ts';
import type { Lease } from '../generated/shapes.ts';
import type { KubeFailure } from '../transport/failure.ts';
import { LeaderElection } from './leader-election.ts';

/** One Lease, which can be deleted. API servers differ in what they say to a renewal then. */
class Leases {
  readonly #whenGone: KubeFailure;
  #version = 0;
  lease: Lease | undefined;

  constructor(whenGone: KubeFailure) {
    this.#whenGone = whenGone;
  }

  readonly find = async (): Promise<Lease | undefined> => this.lease;

  readonly create = async (_type: unknown, lease: Lease): Promise<Lease> => this.#store(lease);

  readonly replace = async (_type: unknown, lease: Lease): Promise<Lease> => {
    if (this.lease === undefined) throw new StatusError('not_found', 'update leases a/b', { details: this.#whenGone });
    return this.#store(lease);
  };

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

  function stand(leases: Leases, clock: FakeClock) {
    const election = new LeaderElection({
      // Of the client, the election uses these.
      client: leases as unknown as KubeReader & KubeWriter,
      namespace: 'a',
      name: 'b',
      identity: 'one',
      clock,
      random: seededRandom(1),
    });
    const terms: number[] = [];
    const ending = new AbortController();
    const running = election.run(async ({ term, signal }) => {
      terms.push(term);
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    }, ending.signal);
    ends.push(async () => {
      ending.abort();
      await running;
    });
    return { election, terms };
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
});
