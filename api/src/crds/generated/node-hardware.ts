// Made from api/crds/node-hardware.yaml by `npm run generate`. Do not edit.
import type { ObjectMeta, ResourceType } from '@quartermaster/kernel';

/**
 * What a machine is made of, as its discovery agent read it. The object has the name of its node and outlives the agent.
 * A field that could not be read is absent: unknown is neither zero nor "none".
 */
export interface NodeHardware {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: ObjectMeta | undefined;
  readonly spec: HardwareFacts;
  readonly status?: HardwareStatus | undefined;
}

export interface HardwareFacts {
  /** When the machine was found to be like this. The object is written only when something changed. */
  readonly observedAt: string;
  readonly agentVersion: string;
  /**
   * UID of the Node whose agent read this. A node that is created anew under the same name has another one, and gets nothing of what is here.
   * Absent when the API server does not tell the agent.
   */
  readonly nodeUid?: string | undefined;
  readonly machine: MachineFacts;
  readonly cpu?: CpuFacts | undefined;
  readonly memory?: MemoryFacts | undefined;
  /** Absent when the PCI bus could not be read; empty when it was and holds none. The same holds for disks, nics and filesystems. */
  readonly gpus?: readonly GpuFacts[] | undefined;
  readonly disks?: readonly DiskFacts[] | undefined;
  readonly nics?: readonly NicFacts[] | undefined;
  /** The filesystems behind the paths of node-local storage classes. */
  readonly filesystems?: readonly FilesystemFacts[] | undefined;
  /** What could not be read and why, one line each. */
  readonly problems?: readonly string[] | undefined;
}

/** What changes while the machine stays the same. Written by the agent too, when it changed. */
export interface HardwareStatus {
  /** Port on which the agent serves, at the address of its pod; 8444 when absent. */
  readonly agentPort?: number | undefined;
  /**
   * SHA-256 of the certificate with which the agent serves, as `openssl x509 -fingerprint -sha256` prints it. Whoever calls the agent trusts this
   * certificate and no other. Absent until the agent serves.
   */
  readonly certificateFingerprint?: string | undefined;
  /** Who holds which device by the kubelet's own account. Absent when the kubelet could not be asked. */
  readonly devices?: readonly DeviceHolder[] | undefined;
}

export interface MachineFacts {
  readonly hostname?: string | undefined;
  readonly manufacturer?: string | undefined;
  readonly product?: string | undefined;
  readonly serial?: string | undefined;
  readonly systemUuid?: string | undefined;
  readonly kernel?: string | undefined;
}

export interface CpuFacts {
  /** As Kubernetes names it: amd64, arm64. */
  readonly architecture: string;
  readonly threads: number;
  readonly sockets: readonly CpuSocket[];
}

export interface MemoryFacts {
  readonly totalBytes: number;
  readonly modules?: readonly MemoryModule[] | undefined;
}

export interface GpuFacts {
  /** With a domain of four digits, as sysfs writes it: 0000:17:00.0. */
  readonly pciAddress: string;
  /** Four lower-case hex digits. */
  readonly vendorId: string;
  readonly productId: string;
  /** GPU-…; the driver's name for this very card. Absent without a driver. */
  readonly uuid?: string | undefined;
  /** The driver's product name. */
  readonly name?: string | undefined;
  readonly memoryBytes?: number | undefined;
  /** PCIe or SXM, where the driver or the product name tells. */
  readonly interface?: string | undefined;
  readonly driver?: string | undefined;
  readonly driverVersion?: string | undefined;
  readonly cudaVersion?: string | undefined;
  readonly computeCapability?: string | undefined;
  readonly numaNode?: number | undefined;
  /** The driver's device number, as in /dev/nvidia0. */
  readonly minor?: number | undefined;
  /** Links that are up. */
  readonly nvlinks?: number | undefined;
  /** Cards of the machine with the same number reach each other over NVLink. Absent where no other card is reached. */
  readonly nvlinkGroup?: number | undefined;
  readonly mig?: MigFacts | undefined;
  readonly health: GpuHealth;
}

export interface DiskFacts {
  readonly name: string;
  readonly kind: 'nvme' | 'ssd' | 'hdd' | 'virtual';
  readonly sizeBytes: number;
  readonly model?: string | undefined;
  readonly serial?: string | undefined;
}

export interface NicFacts {
  readonly name: string;
  readonly mac: string;
  readonly pciAddress?: string | undefined;
  readonly driver?: string | undefined;
  readonly speedMbps?: number | undefined;
  readonly isUp?: boolean | undefined;
  /** The RDMA device over this interface: mlx5_0. */
  readonly rdmaDevice?: string | undefined;
}

export interface FilesystemFacts {
  readonly path: string;
  readonly sizeBytes: number;
  /** Equal for two paths on one filesystem: what is stored under one is missing under the other. */
  readonly device: string;
  /** What is written on the filesystem, rounded up in steps, so that a machine at rest has nothing new to say. */
  readonly usedBytes?: number | undefined;
  /** Of that, what lies below the path, rounded down in the same steps. Absent where there are too many files to count. */
  readonly folderBytes?: number | undefined;
  /** The folder is the kubelet's: pods' ephemeral storage lies here. */
  readonly holdsEphemeral?: boolean | undefined;
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

export interface CpuSocket {
  readonly id: string;
  readonly vendor: string;
  readonly model: string;
  readonly cores: number;
  readonly threads: number;
}

export interface MemoryModule {
  readonly slot?: string | undefined;
  readonly type?: string | undefined;
  readonly sizeBytes: number;
  readonly speedMtps?: number | undefined;
  readonly manufacturer?: string | undefined;
}

export interface MigFacts {
  readonly enabled: boolean;
  readonly instances: readonly MigInstance[];
  /** The slices that the card can be cut into: 1g.18gb, 3g.71gb … */
  readonly profiles?: readonly string[] | undefined;
}

export interface GpuHealth {
  /** `unknown` when nothing tells: no driver, no tool. */
  readonly state: 'healthy' | 'unhealthy' | 'unknown';
  readonly reason?: string | undefined;
  /** What kind of illness it is, in CamelCase, where it has a name: XidError. */
  readonly code?: string | undefined;
  /** When it began, where the machine tells. */
  readonly since?: string | undefined;
  /** Of an XidError: the codes that the driver reported, in that order. They count until the card was reset or called fit. */
  readonly xids?: readonly number[] | undefined;
  /** Of an XidError: the run of the machine in which it was reported, as the kernel names it. Another run begins anew. */
  readonly bootId?: string | undefined;
}

export interface MigInstance {
  readonly uuid: string;
  readonly profile: string;
  readonly memoryBytes?: number | undefined;
}

export const nodeHardwareType: ResourceType<NodeHardware> = {
  group: 'quartermaster.dev',
  version: 'v1alpha1',
  kind: 'NodeHardware',
  plural: 'nodehardwares',
  namespaced: false,
};
