export { ClusterControllers, type ClusterControllersOptions } from './controllers/cluster-controllers.ts';
export type { ServiceAddressOptions } from './controllers/service-address.ts';
export {
  type CommandIo,
  type ContainerCommand,
  type ContainerContext,
  type ContainerProgram,
  ImageRegistry,
  type ImageRole,
} from './kubelet/image-registry.ts';
export {
  buildHardware,
  type Disk,
  type DiskKind,
  type Gpu,
  type Hardware,
  type HardwareSpec,
  type MemoryModule,
  type Nic,
} from './machine/hardware.ts';
export { type CpuModel, type GpuChoice, type GpuModel } from './machine/hardware-catalog.ts';
export { type HardwareState, hardwareFilesystem } from './machine/hardware-filesystem.ts';
export type { FileStat, RootFilesystem } from './machine/memory-filesystem.ts';
export type { ToolResult } from './machine/nvidia-smi.ts';
export { SimulatedKernelLog } from './machine/simulated-kernel-log.ts';
export { type FilesystemSize, type Machine, SimulatedMachine, type SimulatedMachineOptions } from './machine/simulated-machine.ts';
export type { DeviceHolder } from './node/node-devices.ts';
export { type NodeSpec, SimulatedNode } from './node/simulated-node.ts';
export { NodePool, type NodePoolOptions } from './node-pool.ts';
export { behaviourPrefix } from './pods/kubelet-pod.ts';
export { Scheduler, type SchedulerOptions } from './scheduler/scheduler.ts';
export type { KubeletServerOptions } from './streams/kubelet-server.ts';
