import { FakeClock, isTerminal, messageOf, StatusError, seededRandom } from '@quartermaster/kernel';
import { type KubeClient, kinds } from '@quartermaster/kube';
import type { Lease } from '@quartermaster/kube/shapes';
import { createLogger, Health, Metrics, type RoleContext, SharedParts } from '@quartermaster/service';
import { describe, expect, it } from 'vitest';
import { declareRole, sharedKubernetes } from '../index.ts';
import type { Term } from './role-leadership.ts';

/** One Lease, whose renewals can be held up. */
class Leases {
  #lease: Lease | undefined;
  #version = 0;
  hold: Promise<void> | undefined;

  readonly find = async (): Promise<Lease | undefined> => this.#lease;

  readonly create = async (_type: unknown, lease: Lease): Promise<Lease> => this.#store(lease);

  readonly replace = async (_type: unknown, lease: Lease): Promise<Lease> => {
    await this.hold;
    return this.#store(lease);
  };

  #store(lease: Lease): Lease {
    this.#version += 1;
    this.#lease = { ...lease, metadata: { ...lease.metadata, resourceVersion: `${this.#version}` } };
    return this.#lease;
  }
}

describe('the leader of a role', () => {
  /** A role with one duty, which gets the terms. */
  async function leading(duty: (term: Term) => Promise<void>, awaited = Promise.resolve()) {
    const clock = new FakeClock();
    const leases = new Leases();
    const failures: unknown[] = [];
    const role = declareRole({
      name: 'sample',
      prefix: 'sample',
      summary: 'For tests.',
      settings: {},
      kubernetes: true,
      lease: 'sample',
      load: async () => (host) => {
        host.leadership.duty('sample', duty);
        host.leadership.standsAfter(() => awaited);
        return {};
      },
    });
    const shared = new SharedParts();
    // Of the client, the election uses these.
    shared.provide(sharedKubernetes, leases as unknown as KubeClient);
    const context: RoleContext = {
      config: role.config.schema.parse({}),
      onConfig: () => {},
      version: '1.2.3',
      log: createLogger({ destination: { write: () => true } }),
      metrics: new Metrics({ process: false }),
      health: new Health(),
      clock,
      random: seededRandom(1),
      signal: new AbortController().signal,
      shared,
      fail: (thrown) => void failures.push(thrown),
    };
    const handle = await role.start(context);
    return { clock, leases, failures, stop: () => handle.stop({ withinMs: 1000, signal: new AbortController().signal }) };
  }

  it('ends its term, and does not fail, when a write of a duty is refused because the lease is lost', async () => {
    const terms: number[] = [];
    const refusals: unknown[] = [];
    const told = new AbortController();
    const { clock, leases, failures, stop } = await leading(async ({ leadership, signal, writer }) => {
      terms.push(leadership.term);
      await new Promise<void>((resolve) => {
        for (const each of [signal, told.signal]) each.addEventListener('abort', () => resolve(), { once: true });
      });
      if (signal.aborted) return;
      try {
        await writer.delete(kinds.pods, { namespace: 'a', name: 'b' });
      } catch (thrown) {
        refusals.push(thrown);
        throw thrown;
      }
    });
    await expect.poll(() => terms.length).toBe(1);
    const held = Promise.withResolvers<void>();
    leases.hold = held.promise;
    // The renewal is on its way for so long that the lease may be lost; nobody has been told yet.
    await clock.advance(10_500);
    told.abort();
    await clock.advance(0);
    expect(refusals).toMatchObject([{ code: 'failed_precondition', details: { kind: 'lease-lost' } }]);
    leases.hold = undefined;
    held.resolve();
    // It succeeded, which does not bring back the duty: only another term does.
    await clock.advance(5_000);
    await expect.poll(() => terms).toEqual([0, 1]);
    expect(failures).toEqual([]);
    await stop();
  });

  it('writes no Lease before what it waits for', async () => {
    const installed = Promise.withResolvers<void>();
    let terms = 0;
    const { clock, leases, stop } = await leading(async ({ signal }) => {
      terms += 1;
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    }, installed.promise);
    await clock.advance(60_000);
    expect([terms, await leases.find()]).toEqual([0, undefined]);
    installed.resolve();
    await expect.poll(() => terms).toBe(1);
    await stop();
  });

  it.each([new Error('broken'), new StatusError('invalid_argument', 'update leases: 422')])(
    'fails with a duty that fails for any other reason, so that the role is started again: %s',
    async (thrown) => {
      const { failures, stop } = await leading(async () => await Promise.reject(thrown));
      await expect.poll(() => failures.map(messageOf)).toEqual([`duty sample of the leader failed: ${thrown.message}`]);
      expect(failures.map(isTerminal)).toEqual([false]);
      await stop();
    },
  );
});
