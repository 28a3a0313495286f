import { posix } from 'node:path';
import { StatusError } from '@quartermaster/kernel';
import type { RoleBody } from '@quartermaster/runtime';
import type { RoleHost } from '@quartermaster/runtime/host';
import { failed, healthy, selfSignedTls } from '@quartermaster/service';
import { HostMachine } from '../machine/host-machine.ts';
import { DiscoveryAgent } from './discovery-agent.ts';
import { discoveryName } from './discovery-defaults.ts';
import type { DiscoverySettings } from './discovery-role.ts';
import { maxStallMs, startDiscoveryServer } from './discovery-server.ts';
import { ownNodeUid } from './own-node-uid.ts';
import { PodResourcesHolders } from './pod-resources-holders.ts';
import { usageAccess } from './usage-access.ts';

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
  const tls = await selfSignedTls({ commonName: discoveryName, clock, log });
  host.keep('certificate', () => tls.close());
  host.health.register('certificate', 'ready', () => tls.check());
  const rescanIntervalMs = config['discovery-rescan-period'];
  const agent = new DiscoveryAgent({
    reader: machine,
    node,
    client,
    nodeUid: (signal) => ownNodeUid(client, signal),
    holders,
    fingerprint: () => tls.status().fingerprint,
    port: () => server.port,
    filesystemPaths: config['discovery-paths'],
    // The socket lies two folders below the one in which pods' ephemeral storage is.
    kubeletPath: posix.dirname(posix.dirname(config['pod-resources-socket'])),
    pollIntervalMs: config['discovery-poll-period'],
    rescanIntervalMs,
    clock,
    random,
    log,
  });
  const maxScanAgeMs = 3 * rescanIntervalMs + 60_000;
  const address = { host: config['discovery-host'], port: config['discovery-port'] };
  const admit = usageAccess({ client, clock, namespace: config['discovery-namespace'], callers: config['discovery-callers'] });
  const server = await startDiscoveryServer({ ...address, agent, maxScanAgeMs, tls, admit, clock, log });
  host.keep('server', () => server.stop(stopServerMs));
  host.run('agent', (signal) => agent.run(signal));
  host.health.register('scan', 'live', () =>
    agent.stalledMs > maxStallMs ? failed('the node has not been scanned for too long') : healthy,
  );
  return { status: () => agent.status };
}
