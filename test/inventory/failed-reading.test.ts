import { type Log, seededRandom, silentLog, systemClock } from '@quartermaster/kernel';
import { type CacheOpener, cacheOpener, KubeClient, KubeTransport, staticCredentials } from '@quartermaster/kube';
import { expect, it } from 'vitest';
import { startInventory } from './fresh-inventory.ts';
import { MutantServer } from './mutant-server.ts';

it('says and logs that the inventory cannot go on when its first reading fails, rather than wait for ever', async () => {
  await using server = await MutantServer.start();
  const client = new KubeClient(new KubeTransport({ credentials: staticCredentials({ server: server.url }) }));
  const real = cacheOpener(client, { clock: systemClock, random: seededRandom(1), log: silentLog });
  const bug = new TypeError('status is not a function');
  const open: CacheOpener['open'] = (options) => {
    const cache = real.open(options);
    const status = (): never => {
      throw bug;
    };
    return cache.name === 'hardware' ? Object.assign(cache, { status }) : cache;
  };
  const failures = new Set<unknown>();
  const parts: unknown[] = [];
  const log: Log = { ...silentLog, error: (_, facts) => parts.push(facts?.['part']) };
  const fail = (thrown: unknown): void => void failures.add(thrown);
  const inventory = await startInventory(client, { clusterId: 'a', caches: { open }, fail, log });
  try {
    await expect.poll(() => [...failures]).toEqual([bug]);
    expect(parts).toContain('first reading');
  } finally {
    await inventory.stop();
    await client.close();
  }
});

it('says that nobody measures what is used while the metrics server does not answer', async () => {
  await using server = await MutantServer.start();
  server.refuse('/apis/metrics.k8s.io/v1beta1/nodes');
  const client = new KubeClient(new KubeTransport({ credentials: staticCredentials({ server: server.url }) }));
  const inventory = await startInventory(client, { clusterId: 'a' });
  try {
    const reason = expect.stringContaining('forbidden');
    await expect.poll(() => inventory.completeness()).toMatchObject({ complete: false, stale: [{ source: 'node-metrics', reason }] });
  } finally {
    await inventory.stop();
    await client.close();
  }
});
