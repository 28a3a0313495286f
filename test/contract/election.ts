import { FakeClock, StatusError, sleep, systemClock } from '@quartermaster/kernel';
import { isFailure, KubeClient, kinds, LeaderElection, type LeaderElectionOptions, type Leadership } from '@quartermaster/kube';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ContractServer } from './contract-server.ts';

const soon = { timeout: 30_000, interval: 20 };
/** Longer than a busy machine stands still: no leader loses its lease by that. */
const lasting = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryIntervalMs: 150 };
/** For who waits until a lease has run out. */
const quick = { leaseDurationMs: 5_000, renewDeadlineMs: 3_000, retryIntervalMs: 150 };

interface Candidate {
  readonly election: LeaderElection;
  /** The leadership while it leads. */
  readonly current: () => Leadership | undefined;
  readonly terms: number[];
  stop(): Promise<void>;
}

/** Lease-based election on any API server. */
export function describeElection(server: () => ContractServer): void {
  describe('leader election', () => {
    const candidates: Candidate[] = [];

    function stand(namespace: string, identity: string, options: Partial<LeaderElectionOptions> = {}): Candidate {
      const election = new LeaderElection({ client: server().client, namespace, name: 'lead', identity, ...lasting, ...options });
      const controller = new AbortController();
      const terms: number[] = [];
      let current: Leadership | undefined;
      const running = election.run(async (leadership) => {
        terms.push(leadership.term);
        current = leadership;
        await untilAborted(leadership.signal);
        current = undefined;
      }, controller.signal);
      const candidate: Candidate = {
        election,
        current: () => current,
        terms,
        stop: async () => {
          controller.abort();
          await running;
        },
      };
      candidates.push(candidate);
      return candidate;
    }

    afterEach(async () => {
      await Promise.all(candidates.splice(0).map((candidate) => candidate.stop()));
    });

    const leaseOf = (namespace: string) => server().client.get(kinds.leases, { namespace, name: 'lead' });

    it('makes the only candidate leader and writes the Lease', async () => {
      const namespace = await server().namespace();
      const a = stand(namespace, 'a');
      await vi.waitFor(() => expect(a.current()).toBeDefined(), soon);
      expect((await leaseOf(namespace)).spec).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 });
      expect(a.election.status()).toMatchObject({ isLeader: true, holder: 'a', term: 0 });
    });

    it('renews the Lease without a change of term', async () => {
      const namespace = await server().namespace();
      const a = stand(namespace, 'a');
      await vi.waitFor(() => expect(a.current()).toBeDefined(), soon);
      const before = await leaseOf(namespace);
      await vi.waitFor(async () => expect((await leaseOf(namespace)).spec?.renewTime).not.toBe(before.spec?.renewTime), soon);
      expect((await leaseOf(namespace)).spec).toMatchObject({ acquireTime: before.spec?.acquireTime, leaseTransitions: 0 });
      expect(a.terms).toEqual([0]);
    });

    it('lets a second candidate wait, and take over when the leader gives the lease back', async () => {
      const namespace = await server().namespace();
      const a = stand(namespace, 'a');
      await vi.waitFor(() => expect(a.current()).toBeDefined(), soon);
      const b = stand(namespace, 'b');
      await vi.waitFor(() => expect(b.election.status().holder).toBe('a'), soon);
      expect(b.current()).toBeUndefined();
      await a.stop();
      await vi.waitFor(() => expect(b.current()?.term).toBe(1), soon);
      expect((await leaseOf(namespace)).spec?.holderIdentity).toBe('b');
    });

    it('takes over from a leader that vanished, not before the lease has run out', async () => {
      const namespace = await server().namespace();
      const spec = { holderIdentity: 'ghost', leaseDurationSeconds: 2, leaseTransitions: 4 };
      await server().client.create(kinds.leases, { metadata: { namespace, name: 'lead' }, spec });
      const startedAt = systemClock.monotonic();
      const b = stand(namespace, 'b');
      await vi.waitFor(() => expect(b.current()).toBeDefined(), soon);
      expect(systemClock.monotonic() - startedAt).toBeGreaterThan(2_000);
      expect(b.terms).toEqual([5]);
    });

    it('measures the lease on its own clock, whatever the wall clocks of the holder and its own say', async () => {
      const namespace = await server().namespace();
      const spec = { holderIdentity: 'skewed', leaseDurationSeconds: 60, renewTime: '2001-01-01T00:00:00.000000Z' };
      await server().client.create(kinds.leases, { metadata: { namespace, name: 'lead' }, spec });
      const clock = new FakeClock();
      const { client, reads } = countingReads(server().client);
      const b = stand(namespace, 'b', { clock, client });
      await vi.waitFor(() => expect(b.election.status().holder).toBe('skewed'), soon);
      clock.skewWall(365 * 24 * 3_600_000);
      await clock.advance(55_000);
      const before = reads();
      await vi.waitFor(async () => {
        await clock.advance(200);
        expect(reads()).toBeGreaterThan(before + 2);
      }, soon);
      expect(b.current()).toBeUndefined();
      await clock.advance(6_000);
      await vi.waitFor(async () => {
        await clock.advance(200);
        expect(b.terms).toEqual([1]);
      }, soon);
    });

    it('keeps leading when somebody else edits the Lease without taking it', async () => {
      const namespace = await server().namespace();
      const a = stand(namespace, 'a');
      await vi.waitFor(() => expect(a.current()).toBeDefined(), soon);
      const body = { metadata: { annotations: { note: 'hello' } } };
      const edited = await server().client.patch(kinds.leases, { namespace, name: 'lead' }, { kind: 'merge', body });
      await vi.waitFor(
        async () => expect((await leaseOf(namespace)).metadata?.resourceVersion).not.toBe(edited.metadata?.resourceVersion),
        soon,
      );
      expect(a.terms).toEqual([0]);
      expect(a.current()?.signal.aborted).toBe(false);
      expect((await leaseOf(namespace)).metadata?.annotations).toEqual({ note: 'hello' });
    });

    it('stops leading at once when another holder is in the Lease', async () => {
      const namespace = await server().namespace();
      const a = stand(namespace, 'a');
      await vi.waitFor(() => expect(a.current()).toBeDefined(), soon);
      const leadership = a.current();
      const body = { spec: { holderIdentity: 'usurper', leaseDurationSeconds: 60 } };
      await server().client.patch(kinds.leases, { namespace, name: 'lead' }, { kind: 'merge', body });
      await vi.waitFor(() => expect(leadership?.signal.aborted).toBe(true), soon);
      expect(() => leadership?.assertHeld()).toThrow(StatusError);
      expect((await leaseOf(namespace)).spec?.holderIdentity).toBe('usurper');
    });

    it('comes back after the Lease was deleted', async () => {
      const namespace = await server().namespace();
      const a = stand(namespace, 'a');
      await vi.waitFor(() => expect(a.current()).toBeDefined(), soon);
      const first = await leaseOf(namespace);
      await server().client.delete(kinds.leases, { namespace, name: 'lead' });
      await vi.waitFor(async () => expect((await leaseOf(namespace)).metadata?.uid).not.toBe(first.metadata?.uid), soon);
      await vi.waitFor(() => expect(a.current()).toBeDefined(), soon);
      expect(a.terms).toEqual([0, 1]);
    });

    it('goes on standing while the server cannot be reached, and says why', async () => {
      const dead = await KubeClient.connect({ kubeconfig: server().kubeconfig });
      await dead.close();
      const refusing: LeaderElectionOptions['client'] = Object.assign(Object.create(dead) as KubeClient, {
        find: () => Promise.reject(new StatusError('unavailable', 'no answer')),
      });
      const a = stand(await server().namespace(), 'a', { client: refusing });
      await vi.waitFor(() => expect(a.election.status().lastError).toContain('no answer'), soon);
      expect(a.current()).toBeUndefined();
    });

    it('gives the lease up when renewing fails until the deadline, before anyone else may take it', async () => {
      const namespace = await server().namespace();
      let failing = false;
      const { client } = server();
      const flaky: LeaderElectionOptions['client'] = Object.assign(Object.create(client) as KubeClient, {
        find: client.find.bind(client),
        create: client.create.bind(client),
        replace: (...args: Parameters<KubeClient['replace']>) =>
          failing ? Promise.reject(new StatusError('unavailable', 'no answer')) : client.replace(...args),
      });
      const a = stand(namespace, 'a', { ...quick, client: flaky });
      await vi.waitFor(() => expect(a.current()).toBeDefined(), soon);
      const leadership = a.current();
      const b = stand(namespace, 'b', quick);
      await vi.waitFor(() => expect(b.election.status().holder).toBe('a'), soon);
      failing = true;
      await vi.waitFor(() => expect(leadership?.signal.aborted).toBe(true), soon);
      expect(b.current()).toBeUndefined();
      await vi.waitFor(() => expect(b.current()).toBeDefined(), soon);
      expect(leadership?.remainingMs()).toBeLessThanOrEqual(0);
    });

    it('never lets two of five candidates hold the lease at a time, through ten changes of leader', async () => {
      const namespace = await server().namespace();
      let holding = 0;
      let most = 0;
      let wins = 0;
      const controller = new AbortController();
      const runs = Array.from({ length: 5 }, (_, index) =>
        new LeaderElection({ client: server().client, namespace, name: 'lead', identity: `candidate-${index}`, ...lasting }).run(
          async (leadership) => {
            holding += 1;
            most = Math.max(most, holding);
            wins += 1;
            leadership.assertHeld();
            if (wins === 10) controller.abort();
            await sleep(systemClock, 20);
            holding -= 1;
          },
          controller.signal,
        ),
      );
      await Promise.all(runs);
      expect(wins).toBeGreaterThanOrEqual(10);
      expect(most).toBe(1);
    });

    it('waits for the work of a lost term to end before it stands again', async () => {
      const namespace = await server().namespace();
      const election = new LeaderElection({ client: server().client, namespace, name: 'lead', identity: 'slow', ...lasting });
      const controller = new AbortController();
      const work = Promise.withResolvers<void>();
      let starts = 0;
      const run = election.run(async (leadership) => {
        starts += 1;
        if (starts === 1) await work.promise;
        else await untilAborted(leadership.signal);
      }, controller.signal);
      await vi.waitFor(() => expect(starts).toBe(1), soon);
      const body = { spec: { holderIdentity: 'usurper', leaseDurationSeconds: 1 } };
      await server().client.patch(kinds.leases, { namespace, name: 'lead' }, { kind: 'merge', body });
      const other = stand(namespace, 'other');
      await vi.waitFor(() => expect(other.current()).toBeDefined(), soon);
      await other.stop();
      expect((await leaseOf(namespace)).spec?.holderIdentity).toBe('');
      expect(starts).toBe(1);
      work.resolve();
      await vi.waitFor(() => expect(starts).toBe(2), soon);
      controller.abort();
      await run;
    });

    it('refuses times that cannot be safe', () => {
      const base = { client: server().client, namespace: 'n', name: 'l', identity: 'a', clock: new FakeClock() };
      expect(() => new LeaderElection({ ...base, leaseDurationMs: 10_000, renewDeadlineMs: 10_000 })).toThrow(
        'leaseDurationMs (10000) must exceed renewDeadlineMs',
      );
      expect(() => new LeaderElection({ ...base, leaseDurationMs: 1_500 })).toThrow('leaseDurationMs must be whole seconds');
      expect(() => new LeaderElection({ ...base, retryIntervalMs: 9_000 })).toThrow('1.2 times retryIntervalMs');
    });

    it('does not take a lease that another candidate took meanwhile', async () => {
      const namespace = await server().namespace();
      for (const identity of ['a', 'b', 'c']) stand(namespace, identity);
      await vi.waitFor(() => expect(candidates.filter((candidate) => candidate.current() !== undefined)).toHaveLength(1), soon);
      const stale = await leaseOf(namespace);
      await vi.waitFor(
        async () => expect((await leaseOf(namespace)).metadata?.resourceVersion).not.toBe(stale.metadata?.resourceVersion),
        soon,
      );
      const taking = server().client.replace(kinds.leases, { ...stale, spec: { ...stale.spec, holderIdentity: 'thief' } });
      await expect(taking).rejects.toSatisfy((error: unknown) => isFailure(error, 'conflict'));
    });
  });
}

/** The client with a count of its finished reads. */
function countingReads(client: KubeClient): { readonly client: LeaderElectionOptions['client']; readonly reads: () => number } {
  let count = 0;
  const counting: LeaderElectionOptions['client'] = Object.assign(Object.create(client) as KubeClient, {
    create: client.create.bind(client),
    replace: client.replace.bind(client),
    find: async (...args: Parameters<KubeClient['find']>) => {
      const found = await client.find(...args);
      count += 1;
      return found;
    },
  });
  return { client: counting, reads: () => count };
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
