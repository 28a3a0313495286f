import {
  type Cache,
  type CacheEntry,
  type CacheOpener,
  countedPodFields,
  countsOnNode,
  type FieldSelection,
  kinds,
  podRequests,
  ramBesideRequests,
  ramInRequestsAnnotation,
  type Selected,
} from '@quartermaster/kube';
import type { Pod } from '@quartermaster/kube/shapes';
import type { LeasePod } from '../model/inventory-change.ts';
import { serviceLabel } from '../model/lease-labels.ts';
import type { CardGroup } from '../placement/stock-facts.ts';
import { cardResources, type SeenRequests } from './akash-figures.ts';

const podFields = {
  metadata: { labels: true, annotations: { [ramInRequestsAnnotation]: true } },
  spec: { ...countedPodFields.spec, volumes: { emptyDir: { medium: true, sizeLimit: true } } },
  status: countedPodFields.status,
} as const satisfies FieldSelection<Pod>;

type SelectedPod = Selected<Pod, typeof podFields & { readonly metadata: { readonly name: true; readonly namespace: true } }>;

interface SeenPod extends SeenRequests {
  readonly namespace: string;
  readonly name: string;
  /** Empty for one that takes no room. */
  readonly node: string;
  readonly service: string;
  readonly isOfLease: boolean;
}

const leasePrefix = 'akash.network/lease.';

/** What all pods of the cluster request, as this replica sees them, and which of them are of leases. */
export class SeenPods {
  readonly cache: Cache<SeenPod>;
  readonly #namespaceUid: (name: string) => string | undefined;
  readonly #cardGroups: (node: string) => readonly CardGroup[];

  /** `changed` is told on which nodes a pod came, went or changed, with its record; undefined once it is none of a lease, or gone. */
  constructor(
    caches: CacheOpener,
    namespaceUid: (name: string) => string | undefined,
    cardGroups: (node: string) => readonly CardGroup[],
    changed: (nodes: readonly string[], uid: string, pod: LeasePod | undefined) => void,
  ) {
    this.#namespaceUid = namespaceUid;
    this.#cardGroups = cardGroups;
    this.cache = caches.open({
      name: 'pods',
      type: kinds.pods,
      fields: podFields,
      project: seenPod,
      indexes: { node: ({ value }) => [value.node], namespace: ({ value }) => [value.namespace] },
    });
    const tell = (entry: CacheEntry<SeenPod>, before = entry): void => changed(nodesOf(before, entry), entry.uid, this.#leasePod(entry));
    this.cache.subscribe({ added: tell, updated: tell, deleted: (entry) => changed(nodesOf(entry), entry.uid, undefined) });
  }

  on(node: string): SeenRequests {
    const pods = this.cache.byIndex('node', node).map(({ value }) => value);
    const sum = (of: (pod: SeenPod) => number): number =>
      pods.reduce((total, pod) => Math.min(total + of(pod), Number.MAX_SAFE_INTEGER), 0);
    return {
      cpuMillis: sum(({ cpuMillis }) => cpuMillis),
      memoryBytes: sum(({ memoryBytes }) => memoryBytes),
      ephemeralBytes: sum(({ ephemeralBytes }) => ephemeralBytes),
      cards: new Map(Array.from(cardResources, (resource) => [resource, sum(({ cards }) => cards.get(resource) ?? 0)])),
    };
  }

  /** Those of leases that take room, in one namespace or in all. */
  leasePods(namespace?: string): readonly LeasePod[] {
    const entries = namespace === undefined ? [...this.cache.entries()] : this.cache.byIndex('namespace', namespace);
    return entries.flatMap((entry) => this.#leasePod(entry) ?? []);
  }

  #leasePod({ uid, value }: CacheEntry<SeenPod>): LeasePod | undefined {
    if (!value.isOfLease || value.node === '') return undefined;
    const { isOfLease: _, ...pod } = value;
    const cardGroups = value.cards.size === 0 ? [] : this.#cardGroups(value.node);
    return { ...pod, uid, namespaceUid: this.#namespaceUid(value.namespace), cardGroups, devices: [] };
  }
}

function nodesOf(...entries: readonly CacheEntry<SeenPod>[]): readonly string[] {
  return [...new Set(entries.map(({ value }) => value.node))].filter((node) => node !== '');
}

function seenPod(pod: SelectedPod): SeenPod {
  const { namespace = '', name = '', labels = {} } = pod.metadata ?? {};
  const takesRoom = countsOnNode(pod);
  const { cpuMillis, memoryBytes, ephemeralStorageBytes, extended } = podRequests(pod);
  const cards = [...extended].filter(([resource, pieces]) => cardResources.has(resource) && pieces > 0);
  return {
    namespace,
    name,
    node: takesRoom ? (pod.spec?.nodeName ?? '') : '',
    service: labels[serviceLabel] ?? '',
    isOfLease: Object.keys(labels).some((key) => key === serviceLabel || key.startsWith(leasePrefix)),
    cpuMillis,
    memoryBytes: Math.min(memoryBytes + ramBesideRequests(pod, memoryBytes), Number.MAX_SAFE_INTEGER),
    ephemeralBytes: ephemeralStorageBytes,
    cards: new Map(cards),
  };
}
