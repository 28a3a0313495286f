import { posix } from 'node:path';
import { StatusError } from '@quartermaster/kernel';
import { KubeClient } from '@quartermaster/kube';
import { failed, healthy, outgoingTraceHeaders, type RoleContext, type RoleHandle } from '@quartermaster/service';
import { HostMachine } from '../machine/host-machine.ts';
import { DiscoveryAgent } from './discovery-agent.ts';
import type { DiscoverySettings } from './discovery-role.ts';
import { startDiscoveryServer } from './discovery-server.ts';
import { PodResourcesHolders } from './pod-resources-holders.ts';

const stopServerMs = 500;

/** Starts the agent of the node that the settings name, with its server. */
export async function startDiscovery({
  config: settings,
  log,
  health,
  clock,
  random,
}: RoleContext<DiscoverySettings>): Promise<RoleHandle> {
  const node = settings['node-name'] ?? process.env['NODE_NAME'] ?? '';
  if (node === '') {
    throw new StatusError(
      'invalid_argument',
      'node-name is not set: give the name of the node, or NODE_NAME from spec.nodeName of the pod',
    );
  }
  const root = settings['host-root'];
  const client = await KubeClient.connect({ traceHeaders: outgoingTraceHeaders });
  const holders = new PodResourcesHolders(posix.join(root, settings['pod-resources-socket']));
  const rescanMs = settings['discovery-rescan-period'];
  const machine = new HostMachine({ root, clock });
  const agent = new DiscoveryAgent({
    reader: machine,
    node,
    client,
    holders,
    filesystemPaths: settings['discovery-paths'],
    pollMs: settings['discovery-poll-period'],
    rescanMs,
    clock,
    random,
    log,
  });
  const close = async (): Promise<void> => {
    holders.close();
    machine.close();
    await client.close();
  };
  const maxScanAgeMs = 3 * rescanMs + 60_000;
  const address = { host: settings['discovery-host'], port: settings['discovery-port'] };
  const server = await startDiscoveryServer({ ...address, agent, maxScanAgeMs, clock, log }).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const ending = new AbortController();
  const running = agent.run(ending.signal);
  health.register('scan', 'live', () => {
    const { scannedAt } = agent.status;
    const isLate = scannedAt !== undefined && clock.now() - scannedAt > maxScanAgeMs;
    return isLate ? failed('the last scan of the node is too old') : healthy;
  });
  return {
    stop: async () => {
      ending.abort();
      await Promise.all([running, server.stop(stopServerMs)]);
      await close();
    },
    status: () => agent.status,
  };
}
