import { type DeviceHolder, type HardwareFacts, nodeHardwareType } from '@quartermaster/api/node-hardware';
import { type Clock, coalesced } from '@quartermaster/kernel';
import { type Cache, type CacheEntry, isRead, kinds } from '@quartermaster/kube';
import { discoveryName } from '../discovery/agent/discovery-defaults.ts';
import type { InventoryLedger } from '../ledger/inventory-ledger.ts';
import type { StaleSource, UnreadCards } from '../model/node-inventory.ts';
import type { ObservedNode, ObservedPod } from '../model/observed.ts';
import { DevicePools } from '../observe/device-pools.ts';
import { claimShape, sliceShape } from '../observe/device-shapes.ts';
import { FollowedSources } from '../observe/followed-sources.ts';
import { hardwareShape } from '../observe/hardware-shape.ts';
import type { LeftOutObjects } from '../observe/left-out.ts';
import { agentFields, type ObservedAgent, observeAgent } from '../observe/observe-agent.ts';
import type { ClaimView } from '../observe/observe-devices.ts';
import { namespaceFields, type ObservedNamespace, observeNamespace } from '../observe/observe-namespace.ts';
import { nodeFields, observeNode } from '../observe/observe-node.ts';
import { inventoryPodFields, inventoryPods, podObserver } from '../observe/observe-pod.ts';
import { observeSlice, olderVersions, type SliceView } from '../observe/observe-slice.ts';
import { shaped } from '../observe/shape.ts';
import { SharedValues } from '../observe/shared-values.ts';

export interface InventorySourcesOptions {
  /** Through which caches are opened. */
  readonly leftOut: LeftOutObjects;
  readonly clock: Clock;
  /** The namespace of the agents. */
  readonly namespace: string;
  readonly ledger: Pick<InventoryLedger, 'setNode' | 'removeNode' | 'setPod' | 'removePod' | 'setHardware' | 'setDevices' | 'leasePods'>;
  /** Called after the ledger was told of changes. */
  readonly changed: () => void;
}

/** What an agent says of its node and of itself. */
interface AgentReport {
  readonly facts: HardwareFacts;
  readonly devices: readonly DeviceHolder[] | undefined;
  /** Of the certificate with which it serves. */
  readonly fingerprint: string | undefined;
  readonly port: number | undefined;
}

/** How long claims and slices may change before their devices are looked at again. */
const devicesIntervalMs = 200;
/** Who sells by the inventory waits for it: a server that is back is found within 5 s, however long it was away. */
const backoff = { firstMs: 500, maxMs: 5_000, factor: 2 };

/**
 * Follows everything in the cluster from which the inventory is made, and tells the ledger. A source that cannot be reached keeps what it last said, and
 * `stale` names it; a kind that the server does not know has no objects, which is known.
 */
export class InventorySources {
  readonly nodes: Cache<ObservedNode>;
  readonly pods: Cache<ObservedPod>;
  readonly hardware: Cache<AgentReport>;
  readonly agents: Cache<ObservedAgent>;
  readonly namespaces: Cache<ObservedNamespace>;
  readonly #slices: Cache<SliceView>;
  readonly #claims: Cache<ClaimView>;
  readonly #options: InventorySourcesOptions;
  /** Without these there is no inventory; the others may be missing. */
  readonly #required: FollowedSources;
  readonly #others: FollowedSources;
  readonly #devices: ReturnType<typeof coalesced>;
  readonly #pools: DevicePools;
  /** When devices were last looked at. */
  #areClaimsRead = false;

  constructor(options: InventorySourcesOptions) {
    const { leftOut, clock, namespace } = options;
    const { caches } = leftOut;
    this.#options = options;
    this.nodes = caches.open({ type: kinds.nodes, fields: nodeFields, project: observeNode, backoff });
    this.pods = caches.open({ type: inventoryPods, fields: inventoryPodFields, project: podObserver(new SharedValues()), backoff });
    const shared = new SharedValues();
    this.hardware = caches.open({
      name: 'hardware',
      type: nodeHardwareType,
      fields: { spec: true, status: true },
      project: shaped(hardwareShape, ({ spec, status }) => ({
        facts: sharing(spec, shared),
        devices: status?.devices,
        fingerprint: status?.certificateFingerprint,
        port: status?.agentPort,
      })),
      backoff,
    });
    this.agents = caches.open({
      name: 'discovery-agents',
      type: kinds.pods,
      namespace,
      labelSelector: `app.kubernetes.io/name=${discoveryName}`,
      fields: agentFields,
      project: observeAgent,
      backoff,
    });
    this.namespaces = caches.open({ type: kinds.namespaces, fields: namespaceFields, project: observeNamespace, backoff });
    this.#slices = caches.open({
      name: 'resource-slices',
      type: kinds.resourceSlices,
      olderTypes: olderVersions(kinds.resourceSlices),
      fields: { metadata: { ownerReferences: true }, spec: true },
      project: shaped(sliceShape, observeSlice),
      backoff,
    });
    this.#claims = caches.open({
      name: 'resource-claims',
      type: kinds.resourceClaims,
      olderTypes: olderVersions(kinds.resourceClaims),
      fields: { status: { allocation: { devices: { results: true } }, reservedFor: true } },
      project: shaped(
        claimShape,
        ({ metadata, status }): ClaimView => ({
          metadata: { name: metadata?.name ?? '', namespace: metadata?.namespace ?? '' },
          status,
        }),
      ),
      backoff,
    });
    this.#required = new FollowedSources([this.nodes, this.pods], clock);
    this.#others = new FollowedSources([this.hardware, this.agents, this.namespaces, this.#slices, this.#claims], clock);
    this.#pools = new DevicePools((pool, take) => leftOut.taking(this.#slices.name, pool, take));
    this.#devices = coalesced(clock, devicesIntervalMs, () => this.#observeDevices());
    this.#listen();
  }

  /** Resolves when everything that the server knows of has been read once, but for hardware, namespaces and devices where it does not let us. */
  async whenRead(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#required.whenAnswered(signal), this.#others.whenReady(signal)]);
    // What came with the lists may still wait for its turn.
    this.#observeDevices();
  }

  /** What tells of cards and could not be read. */
  get unreadCards(): Pick<UnreadCards, 'reports' | 'devices'> {
    const { leftOut } = this.#options;
    // A report that was read, but of which no cards could be made, tells as little.
    const reports = isRead(this.hardware.status()) ? new Set([...leftOut.of(this.hardware.name), ...leftOut.of('gpu-cards')]) : 'all';
    return { reports, devices: !this.#isAllRead(this.#slices) };
  }

  /** Call it now and then: an object that cannot be read, and one that is gone, have no event. */
  look(): void {
    if (this.#areClaimsRead !== this.#isAllRead(this.#claims)) this.#devices.trigger();
  }

  /** What is not being followed right now, and since when. */
  stale(): readonly StaleSource[] {
    return [...this.#required.stale(), ...this.#others.stale()];
  }

  /** When nodes and pods were both last heard of, milliseconds since the epoch; 0 before that. */
  get lastContactAt(): number {
    return Math.min(this.nodes.status().lastContactAt ?? 0, this.pods.status().lastContactAt ?? 0);
  }

  async stop(): Promise<void> {
    this.#devices.stop();
    await Promise.all([this.#required.stop(), this.#others.stop()]);
  }

  #listen(): void {
    const { ledger, leftOut, clock, changed } = this.#options;
    const follow = <P>(cache: Cache<P>, set: (entry: CacheEntry<P>) => void, remove: (entry: CacheEntry<P>) => void): void => {
      const put = (entry: CacheEntry<P>): void => {
        leftOut.taking(cache.name, entry.key, () => set(entry));
        changed();
      };
      cache.subscribe({
        added: put,
        updated: put,
        deleted: (entry) => {
          leftOut.forget(cache.name, entry.key);
          remove(entry);
          changed();
        },
      });
    };
    follow(
      this.nodes,
      ({ value }) => ledger.setNode(value, clock.now()),
      ({ value }) => ledger.removeNode(value.name, clock.now()),
    );
    follow(
      this.pods,
      ({ value }) => ledger.setPod(value, clock.now()),
      ({ value }) => ledger.removePod(value.uid, clock.now()),
    );
    follow(
      this.namespaces,
      ({ key, value }) => ledger.leasePods.setNamespace(key, value.uid),
      ({ key }) => ledger.leasePods.setNamespace(key, undefined),
    );
    follow(
      this.hardware,
      ({ key, value: { facts, devices } }) => ledger.setHardware(key, facts, devices && { devices }, clock.now()),
      ({ key }) => ledger.setHardware(key, undefined, undefined, clock.now()),
    );
    const followDevices = <P>(cache: Cache<P>, set: (key: string, value: P | undefined) => void): void => {
      const put = ({ key, value }: CacheEntry<P>): void => {
        set(key, value);
        this.#devices.trigger();
      };
      const remove = ({ key }: CacheEntry<P>): void => {
        set(key, undefined);
        this.#devices.trigger();
      };
      cache.subscribe({ added: put, updated: put, deleted: remove });
    };
    followDevices(this.#slices, (key, slice) => this.#pools.setSlice(key, slice));
    followDevices(this.#claims, (key, claim) => this.#pools.setClaim(key, claim));
    // An empty list of claims has no events, and says that every device is free.
    void this.#claims.whenSynced().then(this.#devices.trigger);
  }

  #observeDevices(): void {
    const { ledger, clock, changed } = this.#options;
    // Without all of the claims nobody can tell which devices are taken: none of them is sold.
    const areClaimsRead = this.#isAllRead(this.#claims);
    if (areClaimsRead !== this.#areClaimsRead) this.#pools.changeAll();
    this.#areClaimsRead = areClaimsRead;
    for (const [node, devices] of this.#pools.take()) {
      ledger.setDevices(node, areClaimsRead ? devices : devices.map((device) => ({ ...device, isTaken: true })), clock.now());
    }
    changed();
  }

  #isAllRead(cache: Pick<Cache<unknown>, 'name' | 'status'>): boolean {
    return isRead(cache.status()) && this.#options.leftOut.of(cache.name).size === 0;
  }
}

/** Machines of one kind differ in their serial numbers and little else. */
function sharing(facts: HardwareFacts, shared: SharedValues): HardwareFacts {
  const { cpu, memory } = facts;
  return { ...facts, cpu: cpu && shared.part(cpu), memory: memory && shared.part(memory) };
}
