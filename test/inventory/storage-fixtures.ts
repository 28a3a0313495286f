import { readFile } from 'node:fs/promises';
import type { FilesystemFacts } from '@quartermaster/api/node-hardware';
import {
  type ClusterNodes,
  type LabelledNode,
  type NodeFilesystems,
  StorageWatch,
  storageQueriers,
  storageReason,
} from '@quartermaster/inventory/storage';
import { cacheOpener, isFailure, type KubeClient, type KubeObject, kinds, type ResourceType, resourceType } from '@quartermaster/kube';
import type { PersistentVolume } from '@quartermaster/kube/shapes';
import { vi } from 'vitest';
import { parse } from 'yaml';
import type { CustomResourceDefinition } from '../contract/client-custom-kind.ts';

export const gib = 2 ** 30;
/** Generous: everything runs on one small machine, beside other tests. */
export const patience = { timeout: 45_000, interval: 50 };

interface WithStatus extends KubeObject {
  readonly spec?: object;
  readonly status?: object;
  readonly value?: string;
}

const custom = (group: string, version: string, kind: string): ResourceType<WithStatus> =>
  resourceType<WithStatus>({ group, version, kind, plural: `${kind.toLowerCase()}s`, namespaced: true });

export const ceph = {
  clusters: custom('ceph.rook.io', 'v1', 'CephCluster'),
  blockPools: custom('ceph.rook.io', 'v1', 'CephBlockPool'),
  filesystems: custom('ceph.rook.io', 'v1', 'CephFilesystem'),
};
export const longhorn = {
  nodes: custom('longhorn.io', 'v1beta2', 'Node'),
  volumes: custom('longhorn.io', 'v1beta2', 'Volume'),
  settings: custom('longhorn.io', 'v1beta2', 'Setting'),
};

const definitions = new URL('../contract/vectors/crds/', import.meta.url);

/** Installs the definition that its project ships, as if its operator had been installed; in place of another one if there is one. */
export async function install(client: KubeClient, { group, plural }: ResourceType): Promise<void> {
  const text = await readFile(new URL(`${plural}.${group}.yaml`, definitions), 'utf8');
  const definition = parse(text) as CustomResourceDefinition;
  const name = `${plural}.${group}`;
  const present = (await client.list(kinds.customResourceDefinitions, { fieldSelector: `metadata.name=${name}` })).items[0];
  if (present === undefined) await client.create(kinds.customResourceDefinitions, definition, { fieldValidation: 'Strict' });
  else await client.replace(kinds.customResourceDefinitions, { ...present, spec: definition.spec });
}

/** Creates an object with its status. A kind is served a moment after its definition was created. */
export async function put(client: KubeClient, type: ResourceType<WithStatus>, object: WithStatus): Promise<void> {
  await vi.waitUntil(async () => {
    try {
      await client.create(type, object, { fieldValidation: 'Strict' });
      return true;
    } catch (error) {
      if (isFailure(error, 'kind-missing')) return false;
      throw error;
    }
  }, patience);
  if (object.status !== undefined) await setStatus(client, type, object);
}

export async function setStatus(client: KubeClient, type: ResourceType<WithStatus>, { metadata, status }: WithStatus): Promise<void> {
  const ref = { name: metadata?.name ?? '', namespace: metadata?.namespace };
  await client.patch(type, ref, { kind: 'merge', body: { status } }, { subresource: 'status', fieldValidation: 'Strict' });
}

export async function storageClass(
  client: KubeClient,
  name: string,
  provisioner: string,
  parameters: Record<string, string> = {},
): Promise<void> {
  await client.create(kinds.storageClasses, { metadata: { name }, provisioner, parameters, volumeBindingMode: 'WaitForFirstConsumer' });
}

export function volume(
  name: string,
  className: string,
  size: string,
  source: Pick<NonNullable<PersistentVolume['spec']>, 'csi' | 'hostPath'>,
  node?: string,
): PersistentVolume {
  const terms = [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node ?? ''] }] }];
  return {
    metadata: { name },
    spec: {
      capacity: { storage: size },
      accessModes: ['ReadWriteOnce'],
      storageClassName: className,
      ...source,
      ...(node === undefined ? {} : { nodeAffinity: { required: { nodeSelectorTerms: terms } } }),
    },
  };
}

/** Nodes and filesystems that a test sets. */
export class KnownNodes implements ClusterNodes, NodeFilesystems {
  readonly #filesystems = new Map<string, readonly FilesystemFacts[] | undefined>(); // node -> report
  readonly #listeners = new Set<() => void>();

  set(node: string, filesystems: readonly FilesystemFacts[] | undefined): void {
    this.#filesystems.set(node, filesystems);
    for (const listener of this.#listeners) listener();
  }

  *nodes(): Iterable<LabelledNode> {
    for (const name of this.#filesystems.keys()) yield { name, labels: { 'kubernetes.io/hostname': name }, ephemeralSize: '100Gi' };
  }

  of(node: string): readonly FilesystemFacts[] | undefined {
    return this.#filesystems.get(node);
  }

  observedAt(): number {
    return Date.now();
  }

  subscribe(changed: () => void): () => void {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  }
}

/** Offers every class but `unlisted`. */
export function watchStorage(client: KubeClient, known: KnownNodes): StorageWatch {
  return new StorageWatch({
    client,
    caches: cacheOpener(client),
    isOffered: ({ name }) => (name === 'unlisted' ? storageReason('ClassNotListed', `class ${name} is not listed`) : undefined),
    queriers: storageQueriers({ filesystems: known, nodes: known }),
  });
}
