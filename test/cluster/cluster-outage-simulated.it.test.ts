import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSimulatedCluster } from '../inventory/operator-cluster.ts';
import { LoopbackProxy } from '../support/loopback-proxy.ts';
import { describeOutage } from './cluster-outage.ts';

describeOutage(async () => {
  const cluster = await startSimulatedCluster();
  const config = await readFile(cluster.kubeconfig, 'utf8');
  const url = /server: "?([^"\s]+)/.exec(config)?.[1] ?? '';
  const proxy = await LoopbackProxy.start(url);
  const directory = await mkdtemp(join(tmpdir(), 'stoppable-'));
  const stoppable = join(directory, 'kubeconfig');
  await writeFile(stoppable, config.replaceAll(url, proxy.url), { mode: 0o600 });
  return {
    ...cluster,
    stoppable,
    halt: async () => {
      proxy.mode = 'refuse';
      proxy.cut();
    },
    resume: async () => {
      proxy.mode = 'forward';
    },
    stop: async () => {
      await proxy.stop();
      await cluster.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
});
