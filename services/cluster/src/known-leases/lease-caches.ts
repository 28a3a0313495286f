import { providerHostType } from '@quartermaster/api/provider-host';
import { providerLeasedIPType } from '@quartermaster/api/provider-leased-ip';
import { type Source, sourceOf } from '@quartermaster/controller';
import type { Clock } from '@quartermaster/kernel';
import {
  type Cache,
  type CacheEntry,
  type CacheOpener,
  type KubeObject,
  keyText,
  kinds,
  type ObjectRef,
  parseKey,
  type ReadableCache,
  type ResourceType,
} from '@quartermaster/kube';
import type { Service } from '@quartermaster/kube/shapes';
import { type LiveObject, liveObject } from '../apply/live-object.ts';
import { claimFields, seenClaim } from '../health/claim-sight.ts';
import type { SeenClaim, SeenLeasePod, SeenWorkload } from '../health/lease-health.ts';
import { leasePodFields, seenLeasePod } from '../health/pod-sight.ts';
import { seenDeployment, seenStatefulSet } from '../health/workload-sight.ts';
import { askedAddress, endpointAnnotation, namespaceLabel, serviceLabel } from '../model/lease-labels.ts';
import type { SeenPort } from './lease-sight.ts';
import { WrittenCache } from './written-cache.ts';

/** An object of a lease, and what is seen in it beside. */
export interface Seen<T> {
  readonly live: LiveObject;
  readonly seen: T;
}

/** A pod with its addresses, by which it is seen whether tenants reach others. */
export interface SeenAddressedPod extends SeenLeasePod {
  readonly addresses: readonly string[];
}

const podFields = { ...leasePodFields, status: { ...leasePodFields.status, podIPs: { ip: true } } } as const;

type Followed<S> = Cache<Seen<S>>;
type Written = WrittenCache<KubeObject, Seen<unknown>>;

/** What there is of leases beside their namespaces: followed on every replica, found by namespace. Nobody asks the server for one lease. */
export class LeaseCaches {
  readonly pods: Cache<SeenAddressedPod>;
  readonly claims: Cache<SeenClaim>;
  readonly #deployments: Followed<SeenWorkload>;
  readonly #statefulSets: Followed<SeenWorkload>;
  readonly #services: Followed<readonly SeenPort[]>;
  readonly #others: readonly Followed<undefined>[];
  /** In the namespace of manifests, by the lease's. */
  readonly #declared: readonly Followed<undefined>[];
  readonly #objects = new Map<string, Written>(); // kind -> objects in namespaces of leases
  readonly #declarations = new Map<string, Written>(); // kind -> what is declared of leases
  readonly #all: readonly Pick<Cache<unknown>, 'stale' | 'status'>[];

  constructor(caches: CacheOpener, manifestNamespace: string, clock: Pick<Clock, 'monotonic'>) {
    const labelSelector = namespaceLabel;
    const open = <T extends KubeObject, S>(type: ResourceType<T>, see: (object: T) => S, namespace?: string): Followed<S> => {
      const project = (object: T): Seen<S> => ({ live: liveObject(type, object), seen: see(object) });
      const of = ({ value: { live } }: { readonly value: Seen<unknown> }): string =>
        namespace === undefined ? live.namespace : (live.labels[namespaceLabel] ?? '');
      const name = `${type.plural} of leases`;
      const cache = caches.open({ name, type, labelSelector, namespace, project, indexes: { namespace: (entry) => [of(entry)] } });
      const written = new WrittenCache<T, Seen<S>>({ cache, project, clock, group: { index: 'namespace', of } });
      (namespace === undefined ? this.#objects : this.#declarations).set(type.kind, written as unknown as Written);
      return cache;
    };
    const nothing = (): undefined => undefined;
    this.pods = caches.open({
      name: 'pods of leases',
      type: kinds.pods,
      labelSelector,
      fields: podFields,
      project: (pod): SeenAddressedPod => ({ ...seenLeasePod(pod), addresses: (pod.status?.podIPs ?? []).map(({ ip }) => ip) }),
      indexes: { namespace: byNamespace },
    });
    this.claims = caches.open({
      name: 'volume claims of leases',
      type: kinds.persistentVolumeClaims,
      labelSelector,
      fields: claimFields,
      project: seenClaim,
      indexes: { namespace: byNamespace },
    });
    this.#deployments = open(kinds.deployments, seenDeployment);
    this.#statefulSets = open(kinds.statefulSets, seenStatefulSet);
    this.#services = open(kinds.services, seenPorts);
    this.#others = [
      open(kinds.configMaps, nothing),
      open(kinds.networkPolicies, nothing),
      open(kinds.serviceAccounts, nothing),
      open(kinds.roles, nothing),
      open(kinds.roleBindings, nothing),
      open(kinds.resourceQuotas, nothing),
      open(kinds.resourceClaimTemplates, nothing),
    ];
    this.#declared = [open(providerHostType, nothing, manifestNamespace), open(providerLeasedIPType, nothing, manifestNamespace)];
    this.#all = [this.pods, this.claims, this.#deployments, this.#statefulSets, this.#services, ...this.#others, ...this.#declared];
  }

  /** Keys are those of `nameOf` the namespace; what is in none of a lease wakes nobody. */
  sources(nameOf: (namespace: string) => string | undefined): readonly Source[] {
    const keyOf = (namespace: string): readonly string[] => {
      const name = nameOf(namespace);
      return name === undefined ? [] : [name];
    };
    const byKey = <P>(cache: ReadableCache<P>): Source => sourceOf(cache, ({ key }) => keyOf(parseKey(key).namespace ?? ''));
    return [
      ...[byKey(this.pods), byKey(this.claims), byKey(this.#services), byKey(this.#deployments), byKey(this.#statefulSets)],
      ...this.#others.map(byKey),
      ...this.#declared.map((cache) => sourceOf(cache, ({ value }) => keyOf(value.live.labels[namespaceLabel] ?? ''))),
    ];
  }

  /** What is not being followed right now. */
  stale(): readonly string[] {
    return this.#all.flatMap((cache) => cache.stale()?.source ?? []);
  }

  objectsIn(namespace: string): readonly LiveObject[] {
    return [...this.#objects.values()].flatMap((cache) => cache.in(namespace).map(({ value }) => value.live));
  }

  /** ProviderHosts and ProviderLeasedIPs of the lease that has this namespace. */
  declaredFor(namespace: string): readonly LiveObject[] {
    return [...this.#declarations.values()].flatMap((cache) => cache.in(namespace).map(({ value }) => value.live));
  }

  allDeclared(): readonly LiveObject[] {
    return [...this.#declarations.values()].flatMap((cache) => cache.all().map(({ value }) => value.live));
  }

  /** By whichever lease. */
  declared(kind: string, ref: ObjectRef): LiveObject | undefined {
    return this.#declarations.get(kind)?.get(keyText(ref))?.value.live;
  }

  /** Shows what was applied before the watch does. */
  applied(kind: string, object: KubeObject): void {
    this.#writtenOf(kind)?.wrote(object);
  }

  /** Shows no more what was deleted, as far as the watch has not shown it yet. */
  removed({ type, namespace, name, uid }: LiveObject): void {
    this.#writtenOf(type.kind)?.forget(keyText({ namespace, name }), uid);
  }

  podsIn(namespace: string): readonly SeenLeasePod[] {
    return this.pods.byIndex('namespace', namespace).map(({ value }) => value);
  }

  claimsIn(namespace: string): readonly SeenClaim[] {
    return this.claims.byIndex('namespace', namespace).map(({ value }) => value);
  }

  /** With what was applied just now, of which its controller does not know yet: by the version before, an update would seem to run at once. */
  workloadsIn(namespace: string): readonly SeenWorkload[] {
    const workloads = [kinds.deployments, kinds.statefulSets].flatMap(({ kind }) => this.#objects.get(kind)?.in(namespace) ?? []);
    return workloads.map(({ value }) => value.seen as SeenWorkload);
  }

  portsIn(namespace: string): readonly SeenPort[] {
    return this.#services.byIndex('namespace', namespace).flatMap(({ value }) => value.seen);
  }

  #writtenOf(kind: string): Written | undefined {
    return this.#objects.get(kind) ?? this.#declarations.get(kind);
  }
}

const byNamespace = ({ key }: Pick<CacheEntry<unknown>, 'key'>): readonly string[] => [parseKey(key).namespace ?? ''];

function seenPorts({ metadata, spec, status }: Service): readonly SeenPort[] {
  const { labels = {}, annotations = {} } = metadata ?? {};
  const service = labels[serviceLabel] ?? '';
  const ports = spec?.ports ?? [];
  const protocolOf = (protocol: string | undefined): string => protocol ?? 'TCP';
  const target = (port: (typeof ports)[number]): number => (typeof port.targetPort === 'number' ? port.targetPort : port.port);
  if (spec?.type === 'NodePort')
    return ports.map((port) => ({ service, port: target(port), externalPort: port.nodePort ?? 0, protocol: protocolOf(port.protocol) }));
  if (spec?.type !== 'LoadBalancer') return [];
  const ip = status?.loadBalancer?.ingress?.[0]?.ip ?? '';
  return ports.map((port) => ({
    ...{ service, ip, endpoint: annotations[endpointAnnotation] ?? '', asked: annotations[`metallb.io/${askedAddress}`] },
    port: target(port),
    externalPort: port.port,
    protocol: protocolOf(port.protocol),
  }));
}
