import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { KubeClient, kinds } from '@quartermaster/kube';
import { startSimulatedServer } from '@quartermaster/simulator';
import { afterAll, describe, expect, it } from 'vitest';
import { isAlive, RunningUp } from './running-up.ts';

const parent = mkdtempSync(join(tmpdir(), 'up-earlier-'));
const dataDir = join(parent, 'data');
const simulator = join(dataDir, 'simulator');
let up: RunningUp | undefined;

afterAll(async () => {
  up?.signal('SIGKILL');
  await up?.exited();
  rmSync(parent, { recursive: true, force: true });
});

/** A process that is over. */
const deadPid = 2 ** 22 - 1;

/**
 * What the release before the console was a role left of a world with the scenario `small` when it was killed: its journal, with what a person had applied, a
 * run file of another form and a lock. Keys are new ones in the form of that release, which kept a token beside them; the database of that release has
 * tests of its own.
 */
async function leaveBehind(): Promise<void> {
  mkdirSync(simulator, { recursive: true, mode: 0o700 });
  const server = await startSimulatedServer({ dataDirectory: simulator });
  await server.stop();
  const identity = JSON.parse(readFileSync(join(simulator, 'identity.json'), 'utf8')) as object;
  const write = (name: string, content: string | Uint8Array): void => writeFileSync(join(dataDir, name), content, { mode: 0o600 });
  write('simulator/identity.json', JSON.stringify({ ...identity, adminToken: 'of-the-administrator-before' }));
  write('simulator/journal.jsonl', gunzipSync(readFileSync(new URL('./earlier-release.jsonl.gz', import.meta.url))));
  const fingerprint = '1b14271261b67f7547fd1f5c679d8e86f52798f11b7ae26c298fa1db21810d3c';
  write('quartermaster.json', JSON.stringify({ product: 'quartermaster up', format: 1, world: { scenario: 'small', fingerprint } }));
  write('lock.1', JSON.stringify({ pid: deadPid, started: '2375490' }));
  const served = { grpc: '127.0.0.1:46697', rest: 'http://127.0.0.1:43971' };
  const fulfillment = { ...served, tokenFile: join(dataDir, 'fulfillment/tokens/admin'), tenants: [] };
  const facts = { pid: deadPid, version: '0.1.0', console: 'http://127.0.0.1:33587', kubeconfig: join(dataDir, 'kubeconfig') };
  write('run.json', JSON.stringify({ ...facts, kubernetes: 'simulated', scenario: 'small', inventory: served, fulfillment }));
}

describe('up on the directory of an earlier release', () => {
  it('goes on with the world in it: what a person applied is there, runs, and can be deleted', async () => {
    expect(isAlive(deadPid)).toBe(false);
    await leaveBehind();
    up = new RunningUp(['--data-dir', dataDir, '--port', '0']);
    const { kubeconfig } = await up.ready();
    const client = await KubeClient.connect({ kubeconfig });
    try {
      const here = { namespace: 'default' };
      expect(await client.get(kinds.configMaps, { ...here, name: 'last-words' })).toMatchObject({ data: { said: 'before' } });
      const ready = async () => (await client.get(kinds.deployments, { ...here, name: 'shop' })).status?.readyReplicas;
      await expect.poll(ready, { timeout: 30_000, interval: 100 }).toBe(2);
      const names = (await client.list(kinds.pods, here)).items.map(({ metadata }) => (metadata?.name ?? '').replace(/-[^-]{5}$/, ''));
      expect(names.toSorted()).toEqual(['agent', 'agent', 'agent', 'db-0', 'once', 'shop-zgfvhlb2ts', 'shop-zgfvhlb2ts']);
      // Nothing runs Jobs any more, but what was made of one does not stay for ever.
      await client.delete(kinds.jobs, { ...here, name: 'once' }, { propagation: 'Background' });
      const left = async () => (await client.list(kinds.pods, here)).items.filter(({ metadata }) => metadata?.name?.startsWith('once-'));
      await expect.poll(left, { timeout: 30_000, interval: 100 }).toEqual([]);
    } finally {
      await client.close();
    }
    expect(await up.stop()).toBe(0);
    expect(await up.errors()).toEqual([]);
  });
});
