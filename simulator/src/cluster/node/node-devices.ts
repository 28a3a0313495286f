import type { Gpu } from '../machine/hardware.ts';

/** What a container of a pod asks a device plugin for. */
export interface DeviceRequest {
  readonly container: string;
  /** nvidia.com/gpu or amd.com/gpu */
  readonly resource: string;
  readonly count: number;
}

/** Who has a device, as a kubelet tells it over its PodResources API. */
export interface DeviceHolder {
  readonly resource: string;
  /** As the vendor's device plugin calls it: NVIDIA's by the UUID, AMD's by the PCI address. */
  readonly deviceId: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

interface HeldBy {
  readonly uid: string;
  readonly container: string;
}

interface HoldingPod {
  readonly namespace: string;
  readonly name: string;
  readonly requests: readonly DeviceRequest[];
}

/**
 * Which GPU of a node belongs to which container. No device is given twice, a holder keeps its devices until its pod is gone, and new ones
 * go out in the order of the bus to pods in the order in which they came. Lost devices are not given away; a pod that could not get all
 * that it asked for gets the rest when there is some.
 */
export class NodeDevices {
  readonly #gpus: readonly Gpu[];
  readonly #isLost: (uuid: string) => boolean;
  readonly #pods = new Map<string, HoldingPod>(); // uid -> pod, in the order in which they came
  readonly #holders = new Map<string, HeldBy>(); // uuid -> holder

  constructor(gpus: readonly Gpu[], isLost: (uuid: string) => boolean) {
    this.#gpus = gpus;
    this.#isLost = isLost;
  }

  /** The pod is on this node from now on, or still is. */
  admit(uid: string, pod: HoldingPod): void {
    if (!this.#pods.has(uid)) this.#pods.set(uid, pod);
    this.settle();
  }

  /** The pod is over or gone. */
  release(uid: string): void {
    if (!this.#pods.delete(uid)) return;
    for (const [uuid, holder] of this.#holders) if (holder.uid === uid) this.#holders.delete(uuid);
    this.settle();
  }

  /** Gives what is free to those who wait for it, as after a device came back. */
  settle(): void {
    for (const [uid, { requests }] of this.#pods) {
      for (const { container, resource, count } of requests) {
        const missing = count - this.#heldBy(uid, container).filter((gpu) => resourceOf(gpu) === resource).length;
        if (missing > 0) this.#give({ uid, container }, resource, missing);
      }
    }
  }

  isHeld({ uuid }: Pick<Gpu, 'uuid'>): boolean {
    return this.#holders.has(uuid);
  }

  /** The UUIDs of NVIDIA's cards that the container has; undefined when it asked for none. */
  visibleTo(uid: string, container: string): readonly string[] | undefined {
    const hasAsked = this.#pods.get(uid)?.requests.some((each) => each.container === container && each.resource === 'nvidia.com/gpu');
    if (hasAsked !== true) return undefined;
    return this.#heldBy(uid, container).flatMap(({ vendor, uuid }) => (vendor === 'nvidia' ? [uuid] : []));
  }

  /** All holders, in the order of the bus. */
  list(): readonly DeviceHolder[] {
    return this.#gpus.flatMap((gpu) => {
      const holder = this.#holders.get(gpu.uuid);
      const pod = holder === undefined ? undefined : this.#pods.get(holder.uid);
      if (holder === undefined || pod === undefined) return [];
      const { namespace, name } = pod;
      return [{ resource: resourceOf(gpu), deviceId: deviceId(gpu), namespace, pod: name, container: holder.container }];
    });
  }

  #heldBy(uid: string, container: string): readonly Gpu[] {
    return this.#gpus.filter(({ uuid }) => {
      const holder = this.#holders.get(uuid);
      return holder?.uid === uid && holder.container === container;
    });
  }

  #give(holder: HeldBy, resource: string, count: number): void {
    const free = this.#gpus.filter((gpu) => resourceOf(gpu) === resource && !this.#holders.has(gpu.uuid) && !this.#isLost(gpu.uuid));
    for (const { uuid } of free.slice(0, count)) this.#holders.set(uuid, holder);
  }
}

const resourceOf = ({ vendor }: Gpu): string => `${vendor}.com/gpu`;

const deviceId = ({ vendor, uuid, pciAddress }: Gpu): string => (vendor === 'nvidia' ? uuid : pciAddress);
