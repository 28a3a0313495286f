import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startControlPlane } from './control-plane.ts';
import { processNames } from './control-plane-flags.ts';

const patience = { timeout: 30_000, interval: 100 };

interface Remains {
  readonly directory: string;
  readonly pids: readonly number[];
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const remaining = ({ directory, pids }: Remains): unknown[] => [...pids.filter(isAlive), ...(existsSync(directory) ? [directory] : [])];

describe('the processes of a control plane', () => {
  it.each(['SIGKILL', 'SIGINT'] as const)('are gone when their owner gets %s', async (signal) => {
    const { owner, started } = await startOwner();
    expect(started.pids).toHaveLength(3);
    expect(started.pids.every(isAlive)).toBe(true);
    // The whole group, as a terminal's Ctrl-C does.
    if (owner.pid === undefined) throw new Error('the owner was not started');
    process.kill(-owner.pid, signal);
    await once(owner, 'exit');
    await expect.poll(() => remaining(started), patience).toEqual([]);
  });

  it('are gone when it is stopped, even those that were paused', async () => {
    const controlPlane = await startControlPlane({ controllers: false, scheduler: false });
    const pids = processNames.map((name) => controlPlane.process(name).pid).filter((pid) => pid !== undefined);
    expect(pids).toHaveLength(2);
    await controlPlane.process('kube-apiserver').kill('SIGSTOP');
    await Promise.all([controlPlane.stop(), controlPlane.stop()]);
    expect(remaining({ directory: controlPlane.directory, pids })).toEqual([]);
    await expect(controlPlane.process('etcd').start()).rejects.toThrow('the control plane is stopped');
  });
});

async function startOwner(): Promise<{ owner: ChildProcess; started: Remains }> {
  const owner = spawn(process.execPath, [fileURLToPath(new URL('./control-plane-owner.ts', import.meta.url))], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: owner.stdout }), 'line')) as [string];
  return { owner, started: JSON.parse(line) as Remains };
}
