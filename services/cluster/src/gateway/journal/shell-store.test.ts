import type { TenantShell } from '@quartermaster/api/tenant-shell';
import { FakeClock, StatusError } from '@quartermaster/kernel';
import type { KubeWriter } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { order } from '../../../test/filled-book.ts';
import { shownObjects } from '../../../test/shown-objects.ts';
import { ShellStore } from './shell-store.ts';

const startedAt = Date.UTC(2026, 0, 1);
const hourMs = 3_600_000;

function shell(name: string, owner: string, status?: TenantShell['status']): TenantShell {
  const said = { proof: 'token', fingerprint: 'cafe', address: '192.0.2.7', service: 'web', pod: 'web-0', replica: 'r-1' } as const;
  const lease = { ...order(owner, 7n), dseq: '7', provider: 'akash1provider' };
  return { metadata: { name, uid: `uid-${name}` }, spec: { lease, ...said, openedAt: '2026-01-01T00:00:00Z' }, status };
}

const storeOf = (shells: readonly TenantShell[], now: number, stale: readonly string[] = []) =>
  new ShellStore(shownObjects({ tenantshells: shells }, stale), { clock: new FakeClock(now), longestMs: hourMs });

describe('the shells on record', () => {
  it('are those of all leases, and of one by the name of its order', () => {
    const store = storeOf([shell('1', 'amy', { closedAt: '2026-01-01T00:00:05Z', outcome: '0' }), shell('2', 'bob')], startedAt);
    expect(store.all().map(({ name }) => name)).toEqual(['1', '2']);
    expect(store.of('amy-7-1-1')).toEqual([
      {
        ...{ name: '1', uid: 'uid-1', lease: { ...order('amy', 7n), provider: 'akash1provider' }, proof: 'token', fingerprint: 'cafe' },
        ...{ address: '192.0.2.7', service: 'web', pod: 'web-0', replica: 'r-1' },
        ...{ openedAt: startedAt, closedAt: startedAt + 5_000, outcome: '0' },
      },
    ]);
  });

  it('have an unknown end once no shell lasts so long, and not a moment before', () => {
    const shells = [shell('open', 'amy'), shell('closed', 'amy', { closedAt: '2026-01-01T00:00:05Z', outcome: '0' })];
    const outcomes = (now: number) =>
      storeOf(shells, now)
        .all()
        .map(({ outcome }) => outcome);
    expect(outcomes(startedAt + hourMs + 59_999)).toEqual(['', '0']);
    expect(outcomes(startedAt + hourMs + 60_000)).toEqual(['unknown end', '0']);
  });

  it('are removed by their uid, and one that is gone is no fault', async () => {
    const asked: unknown[] = [];
    const gone = new StatusError('not_found', 'gone', { details: { kind: 'not-found' } });
    const writer = {
      delete: async (...args: readonly unknown[]) => {
        asked.push(args.slice(1));
        throw gone;
      },
    } as unknown as KubeWriter;
    const { signal } = new AbortController();
    await storeOf([], startedAt).remove(writer, { name: '1', uid: 'u' }, signal);
    expect(asked).toEqual([[{ name: '1' }, { preconditions: { uid: 'u' }, signal }]]);
  });

  it('are a problem while they are not followed', () => {
    expect(storeOf([], startedAt).problem()).toBeUndefined();
    expect(storeOf([], startedAt, ['tenantshells']).problem()).toBe('tenantshells are not followed');
  });
});
