/**
 * What a machine is made of, as its discovery agent read it: the contract between the agents, which write one `NodeHardware` object each, and
 * everybody who wants to know. The object has the name of its node and outlives the agent. A field that could not be read is absent: unknown
 * is neither zero nor "none".
 */
export interface NodeHardware {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly uid?: string; readonly resourceVersion?: string };
  readonly spec: HardwareFacts;
  readonly status?: HardwareStatus;
}

export interface HardwareFacts {
  /** When the machine was found to be like this, RFC 3339. The object is written only when something changed. */
  readonly observedAt: string;
  readonly agentVersion: string;
  readonly machine: MachineFacts;
  readonly cpu?: CpuFacts;
  readonly memory?: MemoryFacts;
  /** Absent when the PCI bus could not be read; empty when it was and holds none. The same for the lists below. */
  readonly gpus?: readonly GpuFacts[];
  readonly disks?: readonly DiskFacts[];
  readonly nics?: readonly NicFacts[];
  /** The filesystems behind the paths of node-local storage classes. */
  readonly filesystems?: readonly FilesystemFacts[];
  /** What could not be read and why, one line each. */
  readonly problems?: readonly string[];
}

export interface MachineFacts {
  readonly hostname?: string;
  readonly manufacturer?: string;
  readonly product?: string;
  readonly serial?: string;
  readonly systemUuid?: string;
  readonly kernel?: string;
}

export interface CpuFacts {
  /** As Kubernetes names it: amd64, arm64. */
  readonly architecture: string;
  readonly threads: number;
  readonly sockets: readonly CpuSocket[];
}

export interface CpuSocket {
  readonly id: string;
  readonly vendor: string;
  readonly model: string;
  readonly cores: number;
  readonly threads: number;
}

export interface MemoryFacts {
  readonly totalBytes: number;
  readonly modules?: readonly MemoryModule[];
}

export interface MemoryModule {
  readonly slot?: string;
  readonly type?: string;
  readonly sizeBytes: number;
  readonly speedMtps?: number;
  readonly manufacturer?: string;
}

export interface GpuFacts {
  /** With a domain of four digits, as sysfs writes it: 0000:17:00.0. */
  readonly pciAddress: string;
  /** Four lower-case hex digits. */
  readonly vendorId: string;
  readonly productId: string;
  /** GPU-…; the driver's name for this very card. Absent without a driver. */
  readonly uuid?: string;
  /** The driver's product name. */
  readonly name?: string;
  readonly memoryBytes?: number;
  /** PCIe or SXM, where the driver or the product name tells. */
  readonly interface?: string;
  readonly driver?: string;
  readonly driverVersion?: string;
  readonly cudaVersion?: string;
  readonly computeCapability?: string;
  readonly numaNode?: number;
  /** The driver's device number, as in /dev/nvidia0. */
  readonly minor?: number;
  readonly mig?: MigFacts;
  readonly nvlinks?: number;
  readonly health: GpuHealth;
}

export interface MigFacts {
  readonly enabled: boolean;
  readonly instances: readonly { readonly uuid: string; readonly profile: string; readonly memoryBytes?: number }[];
  /** The slices that the card can be cut into: 1g.18gb, 3g.71gb … */
  readonly profiles?: readonly string[];
}

export interface GpuHealth {
  /** `unknown` when nothing tells: no driver, no tool. */
  readonly state: 'healthy' | 'unhealthy' | 'unknown';
  readonly reason?: string;
  /** What kind of illness it is, in CamelCase, where it has a name: XidError. */
  readonly code?: string;
  /** When it began, RFC 3339, where the machine tells. */
  readonly since?: string;
}

export interface DiskFacts {
  readonly name: string;
  readonly kind: 'nvme' | 'ssd' | 'hdd' | 'virtual';
  readonly sizeBytes: number;
  readonly model?: string;
  readonly serial?: string;
}

export interface NicFacts {
  readonly name: string;
  readonly mac: string;
  readonly pciAddress?: string;
  readonly driver?: string;
  readonly speedMbps?: number;
  readonly isUp?: boolean;
  /** The RDMA device over this interface: mlx5_0. */
  readonly rdmaDevice?: string;
}

export interface FilesystemFacts {
  readonly path: string;
  readonly sizeBytes: number;
  /** Equal for two paths on one filesystem: what is stored under one is missing under the other. */
  readonly device: string;
}

/** What changes while the machine stays the same. Written by the agent too, when it changed. */
export interface HardwareStatus {
  /** Who holds which device by the kubelet's own account. Absent when the kubelet could not be asked. */
  readonly devices?: readonly DeviceHolder[];
}

export interface DeviceHolder {
  /** nvidia.com/gpu, nvidia.com/mig-1g.10gb, amd.com/gpu … */
  readonly resource: string;
  /** As the device plugin calls it: a UUID or an index. */
  readonly deviceId: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}
