import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reservationType } from '@quartermaster/api/reservation';
import { KubeClient, kinds } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quartermasterInProcess, RunningUp } from './running-up.ts';

interface Served {
  readonly rest: string;
  readonly tokenFile: string;
}

const request = { units: [{ id: 1, count: 2, cpuMillis: '500', memoryBytes: String(2 ** 30), randomPorts: 1 }] };
const order = { owner: 'akash1tenant', dseq: '7', gseq: 1, oseq: 1 };
const path = '/v1/reservations/akash1tenant/7/1/1';

describe('the cluster service of up', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'up-cluster-'));
  const up = new RunningUp(['--data-dir', dataDir, '--port', '0']);
  let kubeconfig: string;

  beforeAll(async () => {
    ({ kubeconfig } = await up.ready());
  });
  afterAll(async () => {
    up.signal('SIGKILL');
    await up.exited();
    rmSync(dataDir, { recursive: true, force: true });
  });

  function served(): Served {
    const { roles } = JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8')) as { roles: Record<string, Served> };
    const found = roles['service-cluster'];
    if (found === undefined) throw new Error('the run file has no cluster service');
    return found;
  }

  async function ask(method: string, at: string, body?: object): Promise<{ readonly status: number; readonly body: unknown }> {
    const { rest, tokenFile } = served();
    const headers = { authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`, 'content-type': 'application/json' };
    const answer = await fetch(new URL(at, rest), { method, headers, body: body === undefined ? null : JSON.stringify(body) });
    return { status: answer.status, body: await answer.json() };
  }

  it('knows the inventory of its process, and leads', async () => {
    await expect
      .poll(() => ask('GET', '/v1/status'), { timeout: 30_000 })
      .toMatchObject({ status: 200, body: { isLeader: true, inventory: { fresh: true, protocol: 'INVENTORY_PROTOCOL_DELTAS' } } });
  });

  it('tells nobody on its cluster where it is reached, since another installation there would be sent its tokens', async () => {
    const client = await KubeClient.connect({ kubeconfig });
    try {
      const lease = await client.get(kinds.leases, { namespace: 'kube-system', name: 'quartermaster-cluster' });
      expect(lease.spec?.holderIdentity).not.toBe('');
      expect(lease.metadata?.annotations ?? {}).not.toHaveProperty(['quartermaster.dev/address']);
    } finally {
      await client.close();
    }
  });

  it('says what fits, reserves it as an object of the cluster, and gives it back', async () => {
    const explained = () => ask('POST', '/v1/fit:explain', { request });
    await expect.poll(explained, { timeout: 30_000 }).toMatchObject({ status: 200, body: { plan: { ports: 1 } } });
    const reserved = () => ask('POST', '/v1/reservations', { order, request });
    await expect.poll(reserved, { timeout: 30_000 }).toMatchObject({ status: 200, body: { reservation: { confirmed: true } } });
    const client = await KubeClient.connect({ kubeconfig });
    try {
      expect(await client.get(reservationType, { name: 'akash1tenant-7-1-1' })).toMatchObject({
        spec: { owner: 'akash1tenant', plan: { units: [{ replicas: [{}, {}] }], ports: 1 } },
        status: { confirmed: true, phase: 'Pending' },
      });
      expect(await ask('GET', path)).toMatchObject({ status: 200, body: { reservation: { phase: 'RESERVATION_PHASE_PENDING' } } });
      expect(await ask('DELETE', path)).toMatchObject({ status: 200, body: { reservation: { owner: 'akash1tenant' } } });
      expect(await ask('GET', path)).toMatchObject({ status: 404 });
      const { items } = await client.list(reservationType);
      expect(items.map(({ metadata }) => metadata?.name)).not.toContain('akash1tenant-7-1-1');
    } finally {
      await client.close();
    }
  });

  it('is a part of the installation', async () => {
    await expect
      .poll(() => quartermasterInProcess('status', '--data-dir', dataDir), { timeout: 30_000 })
      .toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^service-cluster +role +ready/m) });
  });
});
