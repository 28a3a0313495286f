import { type DeviceHolder, type HardwareFacts, type HardwareStatus, nodeHardwareType } from '@quartermaster/api/node-hardware';
import { type Clock, coalesced, type Log, type Random, sleep } from '@quartermaster/kernel';
import { type Cache, isRead, type KubeClient, kinds, staleReason, startCache } from '@quartermaster/kube';
import type { ObservedDevice, ObservedNode, ObservedPod } from '../model/observed.ts';
import type { StaleSource } from '../model/stale-source.ts';
import { type ClaimView, type CompletePools, observeDevices, type SliceView } from '../observe/observe-devices.ts';
import { nodeFields, observeNode } from '../observe/observe-node.ts';
import { inventoryPodFields, inventoryPods, observePod } from '../observe/observe-pod.ts';
import { SharedValues } from '../observe/shared-values.ts';

/** Who is told what the cluster holds. Each call replaces what was said before about the same thing. */
export interface InventoryListener {
  setNode(node: ObservedNode): void;
  removeNode(name: string): void;
  setPod(pod: ObservedPod): void;
  removePod(uid: string): void;
  /** Undefined: no agent has reported, or its report was deleted. */
  setHardware(node: string, facts: HardwareFacts | undefined, status: HardwareStatus | undefined): void;
  setDevices(node: string, devices: readonly ObservedDevice[]): void;
}

export interface InventorySourcesOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Called after the listener was told of changes. */
  readonly changed: () => void;
}

/** How long claims and slices may change before their devices are looked at again. */
const devicesEveryMs = 200;
const lookEveryMs = 50;
/** Who sells by the inventory waits for it: a server that is back is found within 5 s, however long it was away. */
const backoff = { firstMs: 500, maxMs: 5_000, factor: 2 };

/**
 * Follows everything in the cluster from which the inventory is made. A source that cannot be reached keeps what it last said, and
 * `stale` names it; a kind that the server does not know has no objects, which is known.
 */
export class InventorySources {
  readonly nodes: Cache<ObservedNode>;
  readonly pods: Cache<ObservedPod>;
  readonly hardware: Cache<{ readonly facts: HardwareFacts; readonly devices: readonly DeviceHolder[] | undefined }>;
  readonly #slices: Cache<SliceView>;
  readonly #claims: Cache<ClaimView>;
  readonly #listener: InventoryListener;
  readonly #changed: () => void;
  readonly #clock: Clock;
  readonly #devices: ReturnType<typeof coalesced>;
  readonly #completePools: CompletePools = new Map();
  #nodesWithDevices: ReadonlySet<string> = new Set();

  constructor(listener: InventoryListener, { client, changed, ...options }: InventorySourcesOptions) {
    const context = { ...options, backoff };
    this.#listener = listener;
    this.#changed = changed;
    this.#clock = context.clock;
    this.nodes = startCache(client, { type: kinds.nodes, fields: nodeFields, project: observeNode, ...context });
    const shared = new SharedValues();
    this.pods = startCache(client, {
      type: inventoryPods,
      fields: inventoryPodFields,
      project: (pod) => observePod(pod, shared),
      ...context,
    });
    this.hardware = startCache(client, {
      type: nodeHardwareType,
      fields: { spec: true, status: true },
      project: ({ spec, status }) => ({ facts: sharing(spec, shared), devices: status?.devices }),
      ...context,
    });
    this.#slices = startCache(client, {
      type: kinds.resourceSlices,
      fields: { spec: true },
      project: ({ spec }) => ({ spec }),
      ...context,
    });
    this.#claims = startCache(client, {
      type: kinds.resourceClaims,
      fields: { status: { allocation: { devices: { results: true } }, reservedFor: true } },
      project: ({ metadata, status }): ClaimView => ({
        metadata: { name: metadata?.name ?? '', namespace: metadata?.namespace ?? '' },
        status,
      }),
      ...context,
    });
    this.#devices = coalesced(context.clock, devicesEveryMs, () => this.#observeDevices());
    this.#listen();
  }

  /** Resolves when everything that the server knows of has been read once. Nobody tells of a kind that is missing: it is looked for. */
  async whenRead(signal: AbortSignal): Promise<void> {
    await Promise.all([this.nodes.whenSynced(signal), this.pods.whenSynced(signal)]);
    while (!this.isRead) await sleep(this.#clock, lookEveryMs, signal);
  }

  /** Whether what was told is complete: everything was read once, or is known not to exist. */
  get isRead(): boolean {
    return this.#all().every(([, cache]) => isRead(cache.status()));
  }

  /** What is not being followed right now, and since when. */
  stale(): readonly StaleSource[] {
    return this.#all().flatMap(([source, cache]) => {
      const status = cache.status();
      const reason = staleReason(status);
      return reason === undefined ? [] : [{ source, lastContactAt: status.lastContactAt, reason }];
    });
  }

  /** When nodes and pods were both last heard of, milliseconds since the epoch; 0 before that. */
  get lastContactAt(): number {
    return Math.min(this.nodes.status().lastContactAt ?? 0, this.pods.status().lastContactAt ?? 0);
  }

  async stop(): Promise<void> {
    this.#devices.stop();
    await Promise.all(this.#all().map(([, cache]) => cache.stop()));
  }

  #all(): [string, Pick<Cache<unknown>, 'status' | 'stop'>][] {
    return [
      ['nodes', this.nodes],
      ['pods', this.pods],
      ['hardware', this.hardware],
      ['resource-slices', this.#slices],
      ['resource-claims', this.#claims],
    ];
  }

  #listen(): void {
    const listener = this.#listener;
    follow(
      this.nodes,
      (node) => listener.setNode(node),
      (node) => listener.removeNode(node.name),
      this.#changed,
    );
    follow(
      this.pods,
      (pod) => listener.setPod(pod),
      (pod) => listener.removePod(pod.uid),
      this.#changed,
    );
    const told = (key: string, value: { facts: HardwareFacts; devices: readonly DeviceHolder[] | undefined }): void =>
      listener.setHardware(key, value.facts, value.devices === undefined ? undefined : { devices: value.devices });
    this.hardware.subscribe({
      added: ({ key, value }) => this.#tell(() => told(key, value)),
      updated: ({ key, value }) => this.#tell(() => told(key, value)),
      deleted: ({ key }) => this.#tell(() => listener.setHardware(key, undefined, undefined)),
    });
    const devices = { added: this.#devices.trigger, updated: this.#devices.trigger, deleted: this.#devices.trigger };
    this.#slices.subscribe(devices);
    this.#claims.subscribe(devices);
  }

  #tell(tell: () => void): void {
    tell();
    this.#changed();
  }

  #observeDevices(): void {
    const found = observeDevices(valuesOf(this.#slices), valuesOf(this.#claims), this.#completePools);
    for (const [node, devices] of found) this.#listener.setDevices(node, devices);
    for (const node of this.#nodesWithDevices) {
      if (!found.has(node)) this.#listener.setDevices(node, []);
    }
    this.#nodesWithDevices = new Set(found.keys());
    this.#changed();
  }
}

function follow<P>(cache: Cache<P>, set: (value: P) => void, remove: (value: P) => void, changed: () => void): void {
  const put = ({ value }: { readonly value: P }): void => {
    set(value);
    changed();
  };
  cache.subscribe({
    added: put,
    updated: put,
    deleted: ({ value }) => {
      remove(value);
      changed();
    },
  });
}

/** Machines of one kind differ in their serial numbers and little else. */
function sharing(facts: HardwareFacts, shared: SharedValues): HardwareFacts {
  const { cpu, memory } = facts;
  return {
    ...facts,
    ...(cpu === undefined ? {} : { cpu: shared.part(cpu) }),
    ...(memory === undefined ? {} : { memory: shared.part(memory) }),
  };
}

function* valuesOf<P>(cache: Cache<P>): Generator<P> {
  for (const { value } of cache.entries()) yield value;
}
