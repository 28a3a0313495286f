import { posix } from 'node:path';
import { StatusError } from '@quartermaster/kernel';
import type { RoleBody } from '@quartermaster/runtime';
import type { RoleHost } from '@quartermaster/runtime/host';
import { failed, healthy } from '@quartermaster/service';
import { HostMachine } from '../machine/host-machine.ts';
import { DiscoveryAgent } from './discovery-agent.ts';
import type { DiscoverySettings } from './discovery-role.ts';
import { startDiscoveryServer } from './discovery-server.ts';
import { PodResourcesHolders } from './pod-resources-holders.ts';

const stopServerMs = 500;

/** Starts the agent of the node that the settings name, with its server. */
export async function startDiscovery(host: RoleHost<DiscoverySettings>): Promise<RoleBody> {
  const { config, clock, random, log } = host;
  const node = config['node-name'] ?? process.env['NODE_NAME'] ?? '';
  if (node === '') {
    throw new StatusError(
      'invalid_argument',
      'node-name is not set: give the name of the node, or NODE_NAME from spec.nodeName of the pod',
    );
  }
  const root = config['host-root'];
  const client = await host.kubernetes();
  const holders = new PodResourcesHolders(posix.join(root, config['pod-resources-socket']));
  host.keep('socket of the kubelet', () => holders.close());
  const machine = new HostMachine({ root, clock });
  host.keep('machine', () => machine.close());
  const rescanIntervalMs = config['discovery-rescan-period'];
  const agent = new DiscoveryAgent({
    reader: machine,
    node,
    client,
    holders,
    filesystemPaths: config['discovery-paths'],
    pollIntervalMs: config['discovery-poll-period'],
    rescanIntervalMs,
    clock,
    random,
    log,
  });
  const maxScanAgeMs = 3 * rescanIntervalMs + 60_000;
  const address = { host: config['discovery-host'], port: config['discovery-port'] };
  const server = await startDiscoveryServer({ ...address, agent, maxScanAgeMs, clock, log });
  host.keep('server', () => server.stop(stopServerMs));
  host.run('agent', (signal) => agent.run(signal));
  host.health.register('scan', 'live', () => {
    const { scannedAt } = agent.status;
    const isLate = scannedAt !== undefined && clock.now() - scannedAt > maxScanAgeMs;
    return isLate ? failed('the last scan of the node is too old') : healthy;
  });
  return { status: () => agent.status };
}
