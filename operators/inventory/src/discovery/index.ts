export { agentVersion } from './agent/agent-version.ts';
export {
  type AgentStatus,
  DiscoveryAgent,
  type DiscoveryAgentOptions,
  type HolderSource,
} from './agent/discovery-agent.ts';
export {
  discoveryAudience,
  discoveryName,
  discoveryPaths,
  discoveryPort,
  operatorAccount,
  usualKubeletPath,
} from './agent/discovery-defaults.ts';
export { discoveryRole } from './agent/discovery-role.ts';
export {
  createDiscoveryServer,
  type DiscoveryServer,
  type DiscoveryServerOptions,
  startDiscoveryServer,
} from './agent/discovery-server.ts';
export { hardwareFingerprint } from './agent/hardware-fingerprint.ts';
export { fieldManager, type HardwareStore } from './agent/hardware-object.ts';
export { PodResourcesHolders } from './agent/pod-resources-holders.ts';
export { readUsage } from './agent/read-usage.ts';
export { type UsageAccessOptions, usageAccess } from './agent/usage-access.ts';
export { HostMachine, type HostMachineOptions } from './machine/host-machine.ts';
export type { FilesystemSize, MachineFileStat, MachineReader, ToolResult } from './machine/machine-reader.ts';
export type { GpuUsage } from './parse/utilization.ts';
export { hardwareText, type PrintOnceOptions, printOnce } from './print-once.ts';
export { type DiscoverOptions, discoverHardware } from './read/discover-hardware.ts';
