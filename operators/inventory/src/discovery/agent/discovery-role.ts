import { declareRole, type SettingsOf } from '@quartermaster/runtime';
import { duration } from '@quartermaster/service';
import * as z from 'zod';
import { discoveryPaths, discoveryPort, operatorAccount } from './discovery-defaults.ts';

const absolutePath = z.string().regex(/^\//, 'must be an absolute path, such as /host');

const settings = {
  'node-name': z
    .string()
    .min(1)
    .optional()
    .describe('Name of the node to describe. The variable NODE_NAME, as a pod gets it from its spec, does as well.'),
  'host-root': absolutePath.default('/').describe('Where the root filesystem of the node is mounted.'),
  'discovery-paths': z
    .array(absolutePath)
    .default([...discoveryPaths])
    .describe(
      'Folders in which node-local storage classes and Longhorn keep their volumes, to be measured. The folder of the kubelet is measured in any case.',
    ),
  'discovery-poll-period': duration({ min: '1s' }).prefault('5s').describe('How often to look for added and removed devices.'),
  'discovery-rescan-period': duration({ min: '10s' }).prefault('2m').describe('How often to scan the whole node in any case.'),
  'discovery-host': z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address on which the use of GPUs is served, over TLS and to known callers; 0.0.0.0 in a pod.'),
  'discovery-port': z
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(discoveryPort)
    .describe('Port on which the use of GPUs is served; 0 takes any free one.'),
  'discovery-namespace': z.string().min(1).default('quartermaster').describe('Namespace of the agents.'),
  'discovery-callers': z
    .array(z.string().regex(/^([^/\s]+\/)?[^/\s]+$/, 'must be NAME or NAMESPACE/NAME'))
    .default([operatorAccount])
    .describe('Service accounts that may ask how busy the GPUs are: NAME in the namespace of the agents, or NAMESPACE/NAME.'),
  'pod-resources-socket': absolutePath
    .default('/var/lib/kubelet/pod-resources/kubelet.sock')
    .describe('Socket of the kubelet that tells who holds which device, as it lies on the node.'),
};

export type DiscoverySettings = SettingsOf<typeof settings>;

/** The agent of one node as a process of its own. */
export const discoveryRole = declareRole({
  name: 'discovery',
  prefix: 'discovery',
  summary: 'Reads the hardware of the node that it runs on and keeps its NodeHardware object.',
  settings,
  kubernetes: true,
  deployment: { folder: new URL('../../../deploy/discovery/', import.meta.url), contracts: ['node-hardware', 'node-hardware-policy'] },
  load: async () => (await import('./start-discovery.ts')).startDiscovery,
});
