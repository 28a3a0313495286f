import { type Cache, startCache } from '@quartermaster/kube';
import type { StaleSource } from '../../model/stale-source.ts';
import type { RunningQuerier, StorageClassFacts, StorageQuerier, StorageReading } from '../../model/storage-inventory.ts';
import { FollowedSources } from '../querier/followed-sources.ts';
import type { QuerierContext } from '../querier/querier-context.ts';
import { storageReason } from '../querier/storage-reasons.ts';
import {
  blockPoolFacts,
  type CephClusterFacts,
  type CephFilesystemFacts,
  type CephPoolFacts,
  clusterFacts,
  filesystemFacts,
} from './ceph-facts.ts';
import { cephBlockPools, cephClusters, cephFilesystems } from './ceph-kinds.ts';
import { cephPlaceOf, isCephProvisioner } from './ceph-place.ts';
import { CephToolbox } from './ceph-toolbox.ts';
import { CephView } from './ceph-view.ts';
import { readCephClass } from './read-ceph-class.ts';

/** Answers for block and filesystem classes of Ceph clusters that Rook runs. */
export class RookCephQuerier implements StorageQuerier {
  readonly name = 'rook-ceph';
  readonly #context: QuerierContext;

  constructor(context: QuerierContext) {
    this.#context = context;
  }

  handles({ provisioner }: StorageClassFacts): boolean {
    return isCephProvisioner(provisioner);
  }

  start(changed: () => void): RunningQuerier {
    return new RunningRookCeph(this.#context, changed);
  }
}

const byNamespace = <P extends { readonly namespace: string }>() => ({
  namespace: ({ value }: { readonly value: P }) => [value.namespace],
});

class RunningRookCeph implements RunningQuerier {
  readonly #context: QuerierContext;
  readonly #clusters: Cache<CephClusterFacts>;
  readonly #blockPools: Cache<CephPoolFacts>;
  readonly #filesystems: Cache<CephFilesystemFacts>;
  readonly #sources: FollowedSources;
  readonly #toolbox: CephToolbox;

  constructor(context: QuerierContext, changed: () => void) {
    this.#context = context;
    const { client, clock, random, log } = context;
    const common = { clock, random, log };
    const metadata = { name: true, namespace: true } as const;
    this.#clusters = startCache(client, {
      ...common,
      type: cephClusters,
      fields: { metadata, spec: { storage: { fullRatio: true } }, status: true },
      project: clusterFacts,
      indexes: byNamespace<CephClusterFacts>(),
    });
    this.#blockPools = startCache(client, {
      ...common,
      type: cephBlockPools,
      fields: { metadata, spec: true, status: { phase: true } },
      project: blockPoolFacts,
      indexes: byNamespace<CephPoolFacts>(),
    });
    this.#filesystems = startCache(client, {
      ...common,
      type: cephFilesystems,
      fields: { metadata, spec: { dataPools: true, preservePoolNames: true }, status: { phase: true } },
      project: filesystemFacts,
      indexes: byNamespace<CephFilesystemFacts>(),
    });
    this.#sources = new FollowedSources({
      'ceph-clusters': this.#clusters,
      'ceph-block-pools': this.#blockPools,
      'ceph-filesystems': this.#filesystems,
    });
    this.#toolbox = new CephToolbox(context, changed);
    const any = { added: changed, updated: changed, deleted: changed };
    this.#blockPools.subscribe(any);
    this.#filesystems.subscribe(any);
    // Rook writes the status whenever it has looked: a good moment to ask for the details.
    const looked = ({ value }: { readonly value: CephClusterFacts }): void => {
      this.#toolbox.ask(value.namespace);
      changed();
    };
    this.#clusters.subscribe({ added: looked, updated: looked, deleted: changed });
  }

  read(storageClass: StorageClassFacts): StorageReading {
    const { name, provisioner, parameters } = storageClass;
    const place = cephPlaceOf(provisioner, parameters);
    if (place === undefined) {
      return { known: false, reason: storageReason('BackendMissing', `class ${name} names no clusterID in its parameters`) };
    }
    const namespace = place.clusterId;
    const cluster = this.#clusters.byIndex('namespace', namespace)[0]?.value;
    if (!this.#sources.haveAnswered()) {
      const hint = this.#sources.lastError() ?? 'they are being read';
      return { known: false, reason: storageReason('CapacityUnknown', 'the objects of Rook could not be read', hint) };
    }
    if (cluster === undefined) {
      const what = `there is no CephCluster in namespace ${namespace}, which class ${name} gives as its clusterID`;
      return { known: false, reason: storageReason('BackendMissing', what) };
    }
    const inNamespace = <P>(cache: Cache<P>): P[] => cache.byIndex('namespace', namespace).map(({ value }) => value);
    const view = new CephView(
      cluster,
      inNamespace(this.#blockPools),
      inNamespace(this.#filesystems),
      this.#toolbox.report(namespace),
      this.#context,
    );
    return readCephClass(storageClass, place, view, this.#clusters.status().lastContactAt ?? this.#context.clock.now());
  }

  async whenReady(signal: AbortSignal): Promise<void> {
    await this.#sources.whenAnswered(this.#context.clock, signal);
    await this.#toolbox.whenReady(signal);
  }

  stale(): readonly StaleSource[] {
    return [...this.#sources.stale(), ...this.#toolbox.stale()];
  }

  async stop(): Promise<void> {
    await Promise.all([this.#sources.stop(), this.#toolbox.stop()]);
  }
}
