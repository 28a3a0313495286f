import { messageOf } from '@quartermaster/kernel';
import { type Cache, kinds, startCache } from '@quartermaster/kube';
import type { StaleSource } from '../../model/stale-source.ts';
import type { RunningQuerier, StorageClassFacts, StorageQuerier, StorageReading } from '../../model/storage-inventory.ts';
import { type ClusterNodes, nodesByHostname } from '../querier/cluster-nodes.ts';
import { FollowedSources } from '../querier/followed-sources.ts';
import type { QuerierContext } from '../querier/querier-context.ts';
import { storageReason } from '../querier/storage-reasons.ts';
import { type LocalPathConfig, parseLocalPathConfig } from './local-path-config.ts';
import { isLocalProvisioner, placesOf } from './local-places.ts';
import type { NodeFilesystems } from './node-filesystems.ts';
import { type LocalView, readLocalClass } from './read-local-class.ts';

export interface LocalPathQuerierContext extends QuerierContext {
  readonly filesystems: NodeFilesystems;
  readonly nodes: ClusterNodes;
}

/** Answers for classes whose volumes are folders on the nodes' own disks: local-path and OpenEBS local. */
export class LocalPathQuerier implements StorageQuerier {
  readonly name = 'local-path';
  readonly #context: LocalPathQuerierContext;

  constructor(context: LocalPathQuerierContext) {
    this.#context = context;
  }

  handles({ provisioner }: StorageClassFacts): boolean {
    return isLocalProvisioner(provisioner);
  }

  start(changed: () => void): RunningQuerier {
    return new RunningLocalPath(this.#context, changed);
  }
}

type ConfigFacts = { readonly config: LocalPathConfig } | { readonly problem: string };

const configName = 'local-path-config';

class RunningLocalPath implements RunningQuerier {
  readonly #context: LocalPathQuerierContext;
  readonly #configs: Cache<ConfigFacts>;
  readonly #sources: FollowedSources;
  readonly #unsubscribe: (() => void)[];

  constructor(context: LocalPathQuerierContext, changed: () => void) {
    this.#context = context;
    const { client, clock, random, log, nodes, filesystems } = context;
    // By name alone: the provisioner may live in any namespace, and other ConfigMaps are nobody's business here.
    this.#configs = startCache(client, {
      clock,
      random,
      log,
      type: kinds.configMaps,
      fieldSelector: `metadata.name=${configName}`,
      fields: { data: true },
      project: ({ data }) => configFacts(data?.['config.json']),
    });
    this.#sources = new FollowedSources({ 'local-path-config': this.#configs });
    this.#configs.subscribe({ added: changed, updated: changed, deleted: changed });
    this.#unsubscribe = [filesystems.subscribe(changed), nodes.subscribe(changed)];
  }

  read(storageClass: StorageClassFacts): StorageReading {
    const unknown = (what: string, hint: string): StorageReading => ({
      known: false,
      reason: storageReason('CapacityUnknown', what, hint),
    });
    if (!this.#sources.haveAnswered()) {
      return unknown(`the ConfigMap ${configName} could not be read`, this.#sources.lastError() ?? 'it is being read');
    }
    const facts = [...this.#configs.entries()].toSorted((a, b) => (a.key < b.key ? -1 : 1))[0]?.value;
    if (facts !== undefined && 'problem' in facts) return unknown(facts.problem, `correct the ConfigMap ${configName}`);
    return readLocalClass(storageClass, this.#view(facts?.config));
  }

  async whenReady(signal: AbortSignal): Promise<void> {
    await this.#sources.whenAnswered(this.#context.clock, signal);
  }

  stale(): readonly StaleSource[] {
    return this.#sources.stale();
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#sources.stop();
  }

  #view(config: LocalPathConfig | undefined): LocalView {
    const { filesystems, nodes, volumes, classOf, clock } = this.#context;
    const all = [...nodes.nodes()];
    const byHostname = nodesByHostname(all);
    const named = new Set(all.map(({ name }) => name));
    const local = [...volumes.groups()].flatMap(({ class: className, node = '', bytes }) => {
      const storageClass = classOf(className);
      if (storageClass === undefined || !isLocalProvisioner(storageClass.provisioner)) return [];
      return [{ storageClass, bytes, node: named.has(node) ? node : (byHostname.get(node) ?? node) }];
    });
    return {
      nodes: all.map(({ name }) => name),
      filesystemsOf: (node) => filesystems.of(node),
      placesOf: (storageClass, node) => placesOf(storageClass, node, config),
      volumes: Map.groupBy(local, ({ node }) => node),
      observedAt: filesystems.observedAt() ?? clock.now(),
    };
  }
}

function configFacts(text: string | undefined): ConfigFacts {
  if (text === undefined) return { problem: `the ConfigMap ${configName} has no config.json` };
  try {
    return { config: parseLocalPathConfig(text) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}
