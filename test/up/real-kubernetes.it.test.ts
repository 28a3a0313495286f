import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type KubectlResult, runKubectl } from '../kube/kubectl.ts';
import { isAlive, quartermasterInProcess, RunningUp } from './running-up.ts';
import { AdminConsole, expectSoon } from './snapshots.ts';

describe('up with a real control plane and simulated nodes', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'up-real-'));
  const kubeconfig = join(dataDir, 'kubeconfig');
  const up = new RunningUp(['--kubernetes', 'real', '--data-dir', dataDir, '--port', '0']);
  const kubectl = (...args: readonly string[]): Promise<KubectlResult> => runKubectl({ kubeconfig }, args);

  beforeAll(async () => {
    await up.ready();
  });
  afterAll(async () => {
    up.signal('SIGKILL');
    await up.exited();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('runs workloads of the real controllers on simulated nodes, with logs', { timeout: 120_000 }, async () => {
    expect((await kubectl('version', '-o', 'json')).stdout).not.toContain('simulator');
    // Two heartbeats that a busy machine sends late are a node lost, until the next one.
    await expect.poll(async () => (await kubectl('get', 'nodes')).stdout.match(/^node-\d +Ready/gm), { timeout: 45_000 }).toHaveLength(3);
    expect((await kubectl('create', 'deployment', 'shop', '--image=nginx')).exitCode).toBe(0);
    expect((await kubectl('rollout', 'status', 'deployment/shop', '--timeout=45s')).exitCode).toBe(0);
    expect((await kubectl('logs', 'deployment/shop')).stdout).toContain('nginx');
  });

  it('has faults of nodes and none of the API server', async () => {
    const fault = (...args: readonly string[]) => quartermasterInProcess('simulate', 'fault', 'add', ...args, '--data-dir', dataDir);
    expect(await fault('gpu-loss', 'node-1')).toMatchObject({ exitCode: 0, stdout: 'gpu-loss:node-1\n' });
    const refused = await fault('latency', '--ms', '5');
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toBe(
      'quartermaster: the API server is not simulated: only node-loss, gpu-loss, gpu-xid, clock-skew can be inflicted here\n',
    );
  });

  it('leaves no process behind when it is killed', async () => {
    const admin = await AdminConsole.open((await up.ready()).console, dataDir);
    const { parts } = await admin.installation();
    await admin.close();
    const pids = parts.flatMap(({ facts }) => (facts['pid'] === undefined ? [] : [Number(facts['pid'])]));
    expect(pids).toHaveLength(2);
    up.signal('SIGKILL');
    await expectSoon(() => !pids.some(isAlive));
    await expectSoon(async () => (await kubectl('version', '--request-timeout=2s')).exitCode !== 0);
  });
});
