import { type Cache, kinds, startCache } from '@quartermaster/kube';
import type { StaleSource } from '../../model/stale-source.ts';
import type { RunningQuerier, StorageClassFacts, StorageQuerier, StorageReading } from '../../model/storage-inventory.ts';
import { type ClusterNodes, nodesByHostname } from '../querier/cluster-nodes.ts';
import { FollowedSources } from '../querier/followed-sources.ts';
import type { QuerierContext } from '../querier/querier-context.ts';
import { wholeBytes } from '../querier/whole-bytes.ts';
import { type CapacityFacts, segmentsOf } from './csi-segments.ts';
import { type CsiPromise, readCsiClass } from './read-csi-class.ts';

export interface CsiCapacityQuerierContext extends QuerierContext {
  readonly nodes: ClusterNodes;
}

/** Answers for every class of which a CSI driver publishes what is left: TopoLVM, LVM and others. To be asked last. */
export class CsiCapacityQuerier implements StorageQuerier {
  readonly name = 'csi-capacity';
  readonly #context: CsiCapacityQuerierContext;
  #running: RunningCsiCapacity | undefined;

  constructor(context: CsiCapacityQuerierContext) {
    this.#context = context;
  }

  /** Known only once it runs: any driver may publish capacities, and nothing else tells which do. */
  handles({ name }: StorageClassFacts): boolean {
    return this.#running?.speaksOf(name) === true;
  }

  start(changed: () => void): RunningQuerier {
    this.#running = new RunningCsiCapacity(this.#context, changed);
    return this.#running;
  }
}

class RunningCsiCapacity implements RunningQuerier {
  readonly #context: CsiCapacityQuerierContext;
  readonly #capacities: Cache<CapacityFacts>;
  readonly #sources: FollowedSources;
  readonly #unsubscribe: () => void;

  constructor(context: CsiCapacityQuerierContext, changed: () => void) {
    this.#context = context;
    const { client, clock, random, log, nodes } = context;
    this.#capacities = startCache(client, {
      clock,
      random,
      log,
      type: kinds.csiStorageCapacities,
      fields: { storageClassName: true, nodeTopology: true, capacity: true, maximumVolumeSize: true },
      project: ({ metadata, storageClassName, nodeTopology, capacity, maximumVolumeSize }): CapacityFacts => ({
        key: `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`,
        class: storageClassName ?? '',
        topology: nodeTopology,
        freeBytes: wholeBytes(capacity),
        maximumVolumeBytes: wholeBytes(maximumVolumeSize),
      }),
      indexes: { class: ({ value }) => [value.class] },
    });
    this.#sources = new FollowedSources({ 'csi-storage-capacities': this.#capacities });
    this.#capacities.subscribe({ added: changed, updated: changed, deleted: changed });
    this.#unsubscribe = nodes.subscribe(changed);
  }

  speaksOf(className: string): boolean {
    return this.#capacities.byIndex('class', className).length > 0;
  }

  read(storageClass: StorageClassFacts): StorageReading {
    const { nodes, volumes, clock } = this.#context;
    const all = [...nodes.nodes()];
    const byHostname = nodesByHostname(all);
    const named = new Set(all.map(({ name }) => name));
    const promised = new Map<string, CsiPromise>();
    for (const { node = '', bytes, driver } of volumes.groupsOf(storageClass.name)) {
      const name = named.has(node) ? node : (byHostname.get(node) ?? node);
      const before = promised.get(name) ?? { bytes: 0, waitingBytes: 0 };
      promised.set(name, { bytes: before.bytes + bytes, waitingBytes: before.waitingBytes + (driver === '' ? bytes : 0) });
    }
    const facts = this.#capacities.byIndex('class', storageClass.name).map(({ value }) => value);
    return readCsiClass(storageClass, {
      segments: segmentsOf(facts, all),
      promised,
      observedAt: this.#capacities.status().lastContactAt ?? clock.now(),
    });
  }

  async whenReady(signal: AbortSignal): Promise<void> {
    await this.#sources.whenAnswered(this.#context.clock, signal);
  }

  stale(): readonly StaleSource[] {
    return this.#sources.stale();
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    await this.#sources.stop();
  }
}
