import { FakeClock, type Log, silentLog } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { noReferences, ReferencePolicy } from '../rules/index.ts';
import { RefusedReferences } from './refused-references.ts';

const secretNamed = (name: string): unknown => ({ kubernetes_secret: { namespace: 'bmc', name, key: 'k' } });

describe('stored references that are refused', () => {
  it('are told once for each count, and counted again until a person has mended them', async () => {
    const clock = new FakeClock();
    const warned: unknown[] = [];
    const log: Log = { ...silentLog, warn: (_message, fields) => void warned.push(fields?.['references']) };
    let rows: unknown[] = [
      { reference: secretNamed('a'), example: 'hosts/a', objects: 2n },
      { reference: { file: '/run/b' }, example: 'hubs/b', objects: 1n },
    ];
    const database = { query: async <T>(): Promise<T[]> => rows as T[] };
    const policy = new ReferencePolicy(noReferences);
    const refused = new RefusedReferences({ database, references: policy, clock, log });
    await refused.count();
    expect(refused.status()).toMatchObject({ state: 'degraded', reason: expect.stringContaining('3 (hosts/a, hubs/b); list') });
    await refused.count();
    policy.update({ directories: ['/run'], secrets: [] });
    await refused.count();
    expect(warned).toEqual([3, 2]);
    rows = [];
    await clock.advance(300_000);
    expect(refused.status()).toEqual({ state: 'ok' });
    expect(clock.pendingTimers).toBe(0);
    await refused.stop();
  });
});
