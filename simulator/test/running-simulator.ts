import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeClient } from '@quartermaster/kube';
import { onTestFinished } from 'vitest';
import { type SimulatedServer, type SimulatedServerOptions, startSimulatedServer } from '../src/server/simulated-server.ts';

export interface RunningSimulator {
  readonly server: SimulatedServer;
  readonly client: KubeClient;
}

/** A directory that is removed when the test ends. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'simulator-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A simulator with an administrator's client; both end with the test. */
export async function startSimulator(options: SimulatedServerOptions = {}): Promise<RunningSimulator> {
  const server = await startSimulatedServer(options);
  const kubeconfig = join(await temporaryDirectory(), 'kubeconfig');
  await writeFile(kubeconfig, server.kubeconfig, { mode: 0o600 });
  const client = await KubeClient.connect({ kubeconfig });
  onTestFinished(async () => {
    await client.close();
    await server.stop();
  });
  return { server, client };
}
