export { ClusterControllers, type ClusterControllersOptions } from './controllers/cluster-controllers.ts';
export type { ServiceAddressOptions } from './controllers/service-address.ts';
export {
  buildHardware,
  type Disk,
  type DiskKind,
  type Gpu,
  type Hardware,
  type HardwareSpec,
  type MemoryModule,
  type Nic,
} from './hardware.ts';
export { type CpuModel, type GpuChoice, type GpuModel } from './hardware-catalog.ts';
export {
  type CommandResult,
  type ContainerCommand,
  type ContainerContext,
  type ContainerProgram,
  ImageRegistry,
  type ImageRole,
} from './image-registry.ts';
export { behaviourPrefix } from './kubelet-pod.ts';
export type { KubeletServerOptions } from './kubelet-server.ts';
export { type HardwareState, hardwareFilesystem } from './machine/hardware-filesystem.ts';
export { SimulatedKernelLog } from './machine/simulated-kernel-log.ts';
export { type FilesystemSize, type Machine, SimulatedMachine, type SimulatedMachineOptions } from './machine/simulated-machine.ts';
export type { ToolResult } from './machine/tool-result.ts';
export type { DeviceHolder } from './node-devices.ts';
export { NodePool, type NodePoolOptions } from './node-pool.ts';
export type { FileStat, RootFilesystem } from './root-filesystem.ts';
export { Scheduler, type SchedulerOptions } from './scheduler/scheduler.ts';
export { type NodeSpec, SimulatedNode } from './simulated-node.ts';
