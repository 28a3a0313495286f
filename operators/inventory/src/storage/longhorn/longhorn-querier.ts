import { type Cache, startCache } from '@quartermaster/kube';
import type { StaleSource } from '../../model/stale-source.ts';
import type { RunningQuerier, StorageClassFacts, StorageQuerier, StorageReading } from '../../model/storage-inventory.ts';
import { FollowedSources } from '../querier/followed-sources.ts';
import type { QuerierContext } from '../querier/querier-context.ts';
import { storageReason } from '../querier/storage-reasons.ts';
import { type LonghornNodeFacts, type LonghornVolumeFacts, missingReplicaBytes, nodeFacts, volumeFacts } from './longhorn-disks.ts';
import { longhornNodes, longhornSettings, longhornVolumes } from './longhorn-kinds.ts';
import { readLonghornClass } from './read-longhorn-class.ts';

const provisioner = 'driver.longhorn.io';

/** Answers for the classes of Longhorn. */
export class LonghornQuerier implements StorageQuerier {
  readonly name = 'longhorn';
  readonly #context: QuerierContext;

  constructor(context: QuerierContext) {
    this.#context = context;
  }

  handles(storageClass: StorageClassFacts): boolean {
    return storageClass.provisioner === provisioner;
  }

  start(changed: () => void): RunningQuerier {
    return new RunningLonghorn(this.#context, changed);
  }
}

interface SettingFacts {
  readonly name: string;
  readonly value: string;
}

class RunningLonghorn implements RunningQuerier {
  readonly #context: QuerierContext;
  readonly #nodes: Cache<LonghornNodeFacts>;
  readonly #volumes: Cache<LonghornVolumeFacts>;
  readonly #settings: Cache<SettingFacts>;
  readonly #sources: FollowedSources;

  constructor(context: QuerierContext, changed: () => void) {
    this.#context = context;
    const { client, clock, random, log } = context;
    const common = { clock, random, log };
    this.#nodes = startCache(client, {
      ...common,
      type: longhornNodes,
      fields: {
        spec: { allowScheduling: true, evictionRequested: true, tags: true, disks: true },
        status: { conditions: { type: true, status: true }, diskStatus: true, zone: true },
      },
      project: nodeFacts,
    });
    this.#volumes = startCache(client, {
      ...common,
      type: longhornVolumes,
      fields: { spec: { size: true, numberOfReplicas: true }, status: { robustness: true } },
      project: volumeFacts,
    });
    this.#settings = startCache(client, {
      ...common,
      type: longhornSettings,
      fields: { value: true },
      project: ({ metadata, value }): SettingFacts => ({ name: metadata?.name ?? '', value: value ?? '' }),
    });
    this.#sources = new FollowedSources({
      'longhorn-nodes': this.#nodes,
      'longhorn-volumes': this.#volumes,
      'longhorn-settings': this.#settings,
    });
    const any = { added: changed, updated: changed, deleted: changed };
    this.#nodes.subscribe(any);
    this.#volumes.subscribe(any);
    this.#settings.subscribe(any);
  }

  read(storageClass: StorageClassFacts): StorageReading {
    if (!this.#sources.haveAnswered()) {
      const hint = this.#sources.lastError() ?? 'they are being read';
      return { known: false, reason: storageReason('CapacityUnknown', 'the objects of Longhorn could not be read', hint) };
    }
    if (this.#nodes.size === 0) return { known: false, reason: storageReason('BackendMissing', 'there are no nodes of Longhorn') };
    const nodes = [...this.#nodes.entries()].map(({ value }) => value);
    const volumes = [...this.#volumes.entries()].map(({ value }) => value);
    let waitingBytes = 0;
    for (const { driver, bytes } of this.#context.volumes.groupsOf(storageClass.name)) if (driver !== provisioner) waitingBytes += bytes;
    return readLonghornClass(storageClass, {
      nodes,
      missingBytes: missingReplicaBytes(volumes, nodes),
      settings: new Map([...this.#settings.entries()].map(({ value }) => [value.name, value.value])),
      promisedBytes: this.#context.volumes.ofClass(storageClass.name).bytes,
      waitingBytes,
      observedAt: this.#nodes.status().lastContactAt ?? this.#context.clock.now(),
    });
  }

  async whenReady(signal: AbortSignal): Promise<void> {
    await this.#sources.whenAnswered(this.#context.clock, signal);
  }

  stale(): readonly StaleSource[] {
    return this.#sources.stale();
  }

  async stop(): Promise<void> {
    await this.#sources.stop();
  }
}
