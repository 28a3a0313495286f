import type { TenantShell } from '@quartermaster/api/tenant-shell';
import { FakeClock, type Log, StatusError, seededRandom } from '@quartermaster/kernel';
import { failureOf, type KubeFailureKind, type KubeWriter } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { order } from '../../../test/filled-book.ts';
import type { OpenedShell } from '../streams/shell-journal.ts';
import { fullAccess } from '../who/token-claims.ts';
import { KubeShellJournal } from './kube-shell-journal.ts';

const lease = { ...order('amy', 7n), provider: 'akash1provider' };
const shell: OpenedShell = {
  lease,
  tenant: { owner: 'amy', proof: 'token', fingerprint: 'cafe', endsAt: 9e12, access: fullAccess },
  peer: '192.0.2.7:51432',
  pod: 'web-0',
  service: 'web',
};
const failing = (kind: KubeFailureKind): StatusError => new StatusError('unavailable', 'etcd-3.internal refused', { details: { kind } });

/** An API server that keeps shells, and fails as it is told. */
function world() {
  const stored = new Map<string, TenantShell>();
  const failures: { create: StatusError[]; patch: StatusError[] } = { create: [], patch: [] };
  const creates: object[] = [];
  const patched: string[] = [];
  const writer = {
    create: async (_type: unknown, object: TenantShell, options: object) => {
      creates.push(options);
      const failure = failures.create.shift();
      if (failureOf(failure)?.kind !== 'invalid') stored.set(object.metadata?.name ?? '', object);
      if (failure !== undefined) throw failure;
      return object;
    },
    patch: async (_type: unknown, { name }: { name: string }, { body }: { body: TenantShell }, { subresource = '' }) => {
      patched.push(name);
      const failure = failures.patch.shift();
      if (failure !== undefined) throw failure;
      const standing = stored.get(name);
      if (standing !== undefined && subresource === 'status') stored.set(name, { ...standing, status: body.status });
    },
  } as unknown as Pick<KubeWriter, 'create' | 'patch'>;
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const warnings: unknown[] = [];
  const log: Pick<Log, 'warn'> = { warn: (...said) => void warnings.push(said) };
  const journal = new KubeShellJournal({ writer, replica: 'r-1', clock, random: seededRandom(1), log });
  return { journal, clock, stored, failures, creates, patched, warnings, records: () => [...stored.values()] };
}

describe('the journal of shells', () => {
  it('has a record before a shell is opened, and its outcome once it is closed', async () => {
    const { journal, clock, creates, records } = world();
    const { closed } = await journal.opened(shell);
    // A tenant waits for it.
    expect(creates).toMatchObject([{ timeoutMs: 5_000 }]);
    expect(records()).toEqual([
      {
        metadata: { name: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/) },
        spec: {
          lease: { owner: 'amy', dseq: '7', gseq: 1, oseq: 1, provider: 'akash1provider' },
          ...{ proof: 'token', fingerprint: 'cafe', address: '192.0.2.7', service: 'web', pod: 'web-0', replica: 'r-1' },
          openedAt: '2026-01-01T00:00:00.000Z',
        },
      },
    ]);
    await clock.advance(3_000);
    closed(137);
    await clock.advance(0);
    expect(records()[0]?.status).toEqual({ closedAt: '2026-01-01T00:00:03.000Z', outcome: '137' });
  });

  it('leaves out the port of a caller alone', async () => {
    const { journal, records } = world();
    for (const peer of ['2001:db8::7:51432', '::ffff:192.0.2.7:1']) await journal.opened({ ...shell, peer });
    expect(records().map(({ spec }) => spec.address)).toEqual(['2001:db8::7', '::ffff:192.0.2.7']);
  });

  it('opens no shell that it cannot record, and tells the tenant nothing of the cluster', async () => {
    const { journal, failures, warnings, records } = world();
    failures.create.push(failing('invalid'));
    await expect(journal.opened(shell)).rejects.toMatchObject({
      code: 'unavailable',
      message: 'the shell cannot be opened, since it cannot be recorded at the moment: try again',
    });
    expect(records()).toEqual([]);
    expect(JSON.stringify(warnings)).toContain('etcd-3.internal refused');
  });

  it('says that a shell was not opened where the record may be there all the same', async () => {
    const { journal, failures, records } = world();
    failures.create.push(failing('timeout'));
    await expect(journal.opened(shell)).rejects.toMatchObject({ code: 'unavailable' });
    await journal.stop();
    expect(records()[0]?.status?.outcome).toBe('not opened');
  });

  it('tries to write an end again, with the time when it was, and gives up after a while', async () => {
    const { journal, clock, failures, warnings, patched, records } = world();
    failures.patch.push(failing('connection'), failing('server'));
    (await journal.opened(shell)).closed('the lease is closed');
    await clock.advance(5_000);
    expect(records()[0]?.status).toEqual({ closedAt: '2026-01-01T00:00:00.000Z', outcome: 'the lease is closed' });
    const before = patched.length;
    failures.patch.push(...Array.from({ length: 50 }, () => failing('connection')));
    (await journal.opened(shell)).closed(0);
    await clock.advance(600_000);
    expect(warnings).toHaveLength(1);
    expect(patched.length - before).toBe(6);
    expect(records()[1]?.status).toBeUndefined();
  });

  it('does not try again where the record was removed', async () => {
    const { journal, failures, patched, warnings } = world();
    failures.patch.push(failing('not-found'));
    (await journal.opened(shell)).closed(0);
    await journal.stop();
    expect([patched.length, warnings]).toEqual([1, []]);
  });

  it('writes the ends of all shells before it stops, and waits no longer than a moment for one that does not end', async () => {
    const { journal, clock, records } = world();
    const ending = await journal.opened(shell);
    const stopping = journal.stop();
    ending.closed('the gateway is being restarted: connect again');
    await stopping;
    expect(records()[0]?.status?.outcome).toContain('restarted');

    const other = world();
    const { closed } = await other.journal.opened(shell);
    let isStopped = false;
    const stopped = other.journal.stop().then(() => (isStopped = true));
    await other.clock.advance(1_999);
    expect(isStopped).toBe(false);
    await other.clock.advance(1);
    await stopped;
    closed(0);
    await other.clock.advance(60_000);
    expect([other.patched, clock.pendingTimers]).toEqual([[], 0]);
  });

  it('keeps a long outcome short', async () => {
    const { journal, records } = world();
    (await journal.opened(shell)).closed('x'.repeat(1_000));
    await journal.stop();
    expect(records()[0]?.status?.outcome).toHaveLength(256);
  });
});
