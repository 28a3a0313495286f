export { type DiscoverOptions, discoverHardware } from './discover-hardware.ts';
export { HostMachine, type HostMachineOptions } from './machine/host-machine.ts';
export type { FilesystemSize, MachineFileStat, MachineReader, ToolResult } from './machine/machine-reader.ts';
export type { GpuUsage } from './parse/utilization.ts';
