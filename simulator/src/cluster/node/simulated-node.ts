import type { Clock } from '@quartermaster/kernel';
import type { Node, NodeCondition, NodeStatus, Taint } from '@quartermaster/kube/shapes';
import { type Hardware, logicalCpus, memoryBytes } from '../machine/hardware.ts';
import { kernelVersion } from '../machine/hardware-filesystem.ts';
import { SimulatedKernelLog } from '../machine/simulated-kernel-log.ts';
import { SimulatedMachine } from '../machine/simulated-machine.ts';
import { NodeDevices } from './node-devices.ts';

/** One node as a scenario describes it. */
export interface NodeSpec {
  readonly name: string;
  /** Below 32 768 and different for each node of a cluster: addresses are made from it. */
  readonly index: number;
  readonly hardware: Hardware;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly taints?: readonly Taint[] | undefined;
  readonly maxPods?: number | undefined;
}

/** Where API servers reach the kubelet of every simulated node. */
export interface KubeletEndpoint {
  readonly host: string;
  readonly port: number;
}

const kubeletVersion = 'v1.36.3';
const cpuReservedMillis = 500;
const memoryReservedBytes = 2 * 2 ** 30;
const defaultMaxPods = 110;

/** A node's hardware, what is wrong with it at the moment, and the Node object that tells of both. */
export class SimulatedNode {
  readonly spec: NodeSpec;
  readonly machine: SimulatedMachine;
  readonly devices: NodeDevices;
  readonly kernelLog: SimulatedKernelLog;
  readonly #clock: Clock;
  readonly #usedAddresses = new Set<number>(); // last byte of pod addresses
  readonly #lostGpus = new Set<string>(); // uuid
  #lastAddress = 1;
  #isLost = false;
  #skewMs = 0;
  #readySinceMs: number;

  constructor(spec: NodeSpec, clock: Clock) {
    this.spec = spec;
    this.#clock = clock;
    this.#readySinceMs = clock.now();
    this.devices = new NodeDevices(spec.hardware.gpus, (uuid) => this.#lostGpus.has(uuid));
    this.kernelLog = new SimulatedKernelLog(clock);
    this.machine = new SimulatedMachine({
      hostname: spec.name,
      hardware: spec.hardware,
      lostGpus: this.#lostGpus,
      isHeld: (gpu) => this.devices.isHeld(gpu),
      now: () => clock.now(),
      kernelLog: this.kernelLog,
    });
  }

  get name(): string {
    return this.spec.name;
  }

  get address(): string {
    return `10.240.${this.spec.index >> 8}.${this.spec.index & 255}`;
  }

  /** A lost node neither heartbeats nor starts, reports or ends pods, until it returns. */
  get isLost(): boolean {
    return this.#isLost;
  }

  set isLost(lost: boolean) {
    if (this.#isLost && !lost) this.#readySinceMs = this.#clock.now();
    this.#isLost = lost;
  }

  /** How far this node's own stamps are ahead of the true time. */
  set skewMs(skewMs: number) {
    this.#skewMs = skewMs;
  }

  /** The node's own idea of now, whole seconds, as Kubernetes writes it. */
  nowIso(): string {
    return this.isoOf(this.#clock.now());
  }

  isoOf(wallMs: number): string {
    return `${new Date(wallMs + this.#skewMs).toISOString().slice(0, 19)}Z`;
  }

  /** With microseconds, as a Lease has it. */
  nowMicro(): string {
    return new Date(this.#clock.now() + this.#skewMs).toISOString().replace('Z', '000Z');
  }

  /** Takes a GPU off the bus; false when the node has no such GPU. */
  loseGpu(uuid: string): boolean {
    if (!this.spec.hardware.gpus.some((gpu) => gpu.uuid === uuid)) return false;
    this.#lostGpus.add(uuid);
    return true;
  }

  restoreGpu(uuid: string): void {
    this.#lostGpus.delete(uuid);
    this.devices.settle();
  }

  /** Whether the address is of the range that its pods get theirs from. */
  hasPodAddress(address: string): boolean {
    return address.startsWith(`${this.#podNetwork()}.`);
  }

  takeAddress(): string {
    // 2 to 254: the network, its gateway and the broadcast address are not given away. A full range gives addresses twice.
    for (let tried = 0; tried < 253; tried += 1) {
      this.#lastAddress = this.#lastAddress >= 254 ? 2 : this.#lastAddress + 1;
      if (!this.#usedAddresses.has(this.#lastAddress)) break;
    }
    this.#usedAddresses.add(this.#lastAddress);
    return `${this.#podNetwork()}.${this.#lastAddress}`;
  }

  keepAddress(address: string): void {
    if (this.hasPodAddress(address)) this.#usedAddresses.add(Number(address.slice(address.lastIndexOf('.') + 1)));
  }

  releaseAddress(address: string): void {
    if (this.hasPodAddress(address)) this.#usedAddresses.delete(Number(address.slice(address.lastIndexOf('.') + 1)));
  }

  object(endpoint: KubeletEndpoint | undefined): Node {
    const cidr = `${this.#podNetwork()}.0/24`;
    return {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name: this.name,
        labels: {
          'kubernetes.io/hostname': this.name,
          'kubernetes.io/arch': 'amd64',
          'kubernetes.io/os': 'linux',
          ...this.spec.labels,
        },
      },
      spec: {
        podCIDR: cidr,
        podCIDRs: [cidr],
        providerID: `simulated://${this.name}`,
        taints: this.spec.taints?.length === 0 ? undefined : this.spec.taints,
      },
      status: this.status(endpoint),
    };
  }

  status(endpoint: KubeletEndpoint | undefined): NodeStatus & { readonly declaredFeatures?: readonly string[] } {
    const { hardware } = this.spec;
    return {
      capacity: this.#resources({ reserved: false }),
      allocatable: this.#resources({ reserved: true }),
      conditions: this.#conditions(),
      addresses: [
        { type: 'InternalIP', address: this.address },
        // API servers look for a kubelet at the Hostname before any other address.
        { type: 'Hostname', address: endpoint?.host ?? this.name },
      ],
      ...(endpoint === undefined
        ? {}
        : { daemonEndpoints: { kubeletEndpoint: { Port: endpoint.port } }, declaredFeatures: ['ExtendWebSocketsToKubelet'] }),
      nodeInfo: {
        machineID: hardware.systemUuid.replaceAll('-', ''),
        systemUUID: hardware.systemUuid,
        bootID: hardware.systemUuid,
        architecture: 'amd64',
        operatingSystem: 'linux',
        osImage: 'Simulated Linux',
        kernelVersion,
        containerRuntimeVersion: 'simulated://1.0',
        kubeletVersion,
        kubeProxyVersion: '',
      },
    };
  }

  #podNetwork(): string {
    return `10.${64 + (this.spec.index >> 8)}.${this.spec.index & 255}`;
  }

  #resources({ reserved }: { readonly reserved: boolean }): Record<string, string> {
    const { hardware, maxPods = defaultMaxPods } = this.spec;
    const cpuMillis = logicalCpus(hardware) * 1000 - (reserved ? cpuReservedMillis : 0);
    const memory = memoryBytes(hardware) - (reserved ? memoryReservedBytes : 0);
    const disk = hardware.disks[0]?.sizeBytes ?? 100e9;
    const resources: Record<string, string> = {
      cpu: reserved ? `${cpuMillis}m` : String(cpuMillis / 1000),
      memory: `${Math.floor(memory / 1024)}Ki`,
      'ephemeral-storage': String(Math.floor(reserved ? disk * 0.9 : disk)),
      pods: String(maxPods),
      'hugepages-1Gi': '0',
      'hugepages-2Mi': '0',
    };
    for (const vendor of new Set(hardware.gpus.map((gpu) => gpu.vendor))) {
      const all = hardware.gpus.filter((gpu) => gpu.vendor === vendor);
      // A device plugin keeps the capacity of a GPU that it finds unhealthy and takes it out of what can be given away.
      const healthy = all.filter(({ uuid }) => !this.#lostGpus.has(uuid));
      resources[`${vendor}.com/gpu`] = String(reserved ? healthy.length : all.length);
    }
    return resources;
  }

  #conditions(): NodeCondition[] {
    const stamps = { lastHeartbeatTime: this.nowIso(), lastTransitionTime: this.isoOf(this.#readySinceMs) };
    return [
      { type: 'MemoryPressure', status: 'False', reason: 'KubeletHasSufficientMemory', message: 'memory is sufficient', ...stamps },
      { type: 'DiskPressure', status: 'False', reason: 'KubeletHasNoDiskPressure', message: 'disk space is sufficient', ...stamps },
      { type: 'PIDPressure', status: 'False', reason: 'KubeletHasSufficientPID', message: 'process ids are sufficient', ...stamps },
      { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status', ...stamps },
    ];
  }
}
