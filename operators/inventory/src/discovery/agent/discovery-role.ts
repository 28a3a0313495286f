import { posix } from 'node:path';
import { StatusError } from '@quartermaster/kernel';
import { KubeClient } from '@quartermaster/kube';
import { defineConfig, defineRole, duration, failed, healthy, type Role, type RoleHandle } from '@quartermaster/service';
import * as z from 'zod';
import { HostMachine } from '../machine/host-machine.ts';
import { DiscoveryAgent } from './discovery-agent.ts';
import { discoveryPaths, discoveryPort } from './discovery-defaults.ts';
import { startDiscoveryServer } from './discovery-server.ts';
import { PodResourcesHolders } from './pod-resources-holders.ts';

const absolutePath = z.string().regex(/^\//, 'must be an absolute path, such as /host');

const config = defineConfig({
  'node-name': z
    .string()
    .min(1)
    .optional()
    .describe('Name of the node to describe. The variable NODE_NAME, as a pod gets it from its spec, does as well.'),
  'host-root': absolutePath.default('/').describe('Where the root filesystem of the node is mounted.'),
  'discovery-paths': z
    .array(absolutePath)
    .default([...discoveryPaths])
    .describe('Folders of node-local storage whose filesystems are measured.'),
  'discovery-poll-period': duration({ min: '1s' }).prefault('5s').describe('How often to look for added and removed devices.'),
  'discovery-rescan-period': duration({ min: '10s' }).prefault('2m').describe('How often to scan the whole node in any case.'),
  'discovery-host': z.string().min(1).default('127.0.0.1').describe('Address on which facts and usage are served; 0.0.0.0 in a pod.'),
  'discovery-port': z
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(discoveryPort)
    .describe('Port on which facts and usage are served; 0 takes any free one.'),
  'pod-resources-socket': absolutePath
    .default('/var/lib/kubelet/pod-resources/kubelet.sock')
    .describe('Socket of the kubelet that tells who holds which device, as it lies on the node.'),
});

const stopServerMs = 500;

/** The agent of one node as a process of its own. */
export const discoveryRole: Role = defineRole({
  name: 'discovery',
  summary: 'Reads the hardware of the node that it runs on and keeps its NodeHardware object.',
  config,
  restart: { firstMs: 1000, maxMs: 60_000, factor: 2 },
  async start({ config: settings, log, health, clock, random }): Promise<RoleHandle> {
    const node = settings['node-name'] ?? process.env['NODE_NAME'] ?? '';
    if (node === '') {
      throw new StatusError(
        'invalid_argument',
        'node-name is not set: give the name of the node, or NODE_NAME from spec.nodeName of the pod',
      );
    }
    const root = settings['host-root'];
    const client = await KubeClient.connect();
    const holders = new PodResourcesHolders(posix.join(root, settings['pod-resources-socket']));
    const rescanMs = settings['discovery-rescan-period'];
    const agent = new DiscoveryAgent({
      reader: new HostMachine({ root, clock }),
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
  },
});
