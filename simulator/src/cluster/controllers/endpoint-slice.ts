import { done, jsonEqual, type Outcome, type Reconciler, withOwner } from '@quartermaster/controller';
import { isFailure, kinds, type ObjectKeyText } from '@quartermaster/kube';
import type { Endpoint, EndpointPort, EndpointSlice, Service, ServicePort } from '@quartermaster/kube/shapes';
import { type Labels, matchesSelector } from '../label-selector.ts';
import type { ControllerContext } from './controller-context.ts';
import type { WorkloadPod } from './workload-pod.ts';

const endpointsPerSlice = 100;

/** Keeps the EndpointSlices of every Service that selects pods. */
export class EndpointSliceReconciler implements Reconciler {
  readonly name = 'simulated-endpoint-slice';
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  async reconcile(key: ObjectKeyText, signal: AbortSignal): Promise<Outcome> {
    const { caches, client } = this.#context;
    const service = caches.services.get(key)?.value;
    const existing = caches.endpointSlices.byIndex('service', key).map(({ value }) => value);
    const wanted =
      service === undefined || service.metadata?.deletionTimestamp !== undefined ? [] : slicesOf(service, this.#selected(service));
    for (const slice of wanted) await this.#keep(slice, service, existing, signal);
    const names = new Set(wanted.map(({ metadata }) => metadata?.name));
    for (const { metadata } of existing) {
      if (names.has(metadata?.name) || metadata?.labels?.[managedLabel] !== manager) continue;
      await client.delete(kinds.endpointSlices, { namespace: metadata?.namespace, name: metadata?.name ?? '' }, { signal });
    }
    return done;
  }

  #selected(service: Service): readonly WorkloadPod[] {
    const selector = service.spec?.selector;
    if (selector === undefined || Object.keys(selector).length === 0) return [];
    const { namespace = '' } = service.metadata ?? {};
    return this.#context.caches.pods
      .byIndex('namespace', namespace)
      .map(({ value }) => value)
      .filter(({ labels, podIp, phase }) => podIp !== undefined && isLive(phase) && matches(selector, labels))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async #keep(slice: EndpointSlice, service: Service | undefined, existing: readonly EndpointSlice[], signal: AbortSignal): Promise<void> {
    const { client } = this.#context;
    const before = existing.find(({ metadata }) => metadata?.name === slice.metadata?.name);
    if (before === undefined) {
      if (service === undefined) return;
      try {
        await client.create(kinds.endpointSlices, withOwner(slice, kinds.services, service), { signal });
      } catch (error) {
        if (!isFailure(error, 'already-exists')) throw error;
      }
      return;
    }
    if (jsonEqual(before.endpoints ?? [], slice.endpoints) && jsonEqual(before.ports ?? [], slice.ports ?? [])) return;
    await client.replace(kinds.endpointSlices, { ...slice, metadata: before.metadata ?? {} }, { signal });
  }
}

const managedLabel = 'endpointslice.kubernetes.io/managed-by';
const manager = 'simulated-endpoint-slice';

const isLive = (phase: string): boolean => phase !== 'Succeeded' && phase !== 'Failed';

const matches = (selector: Labels, labels: Labels): boolean => matchesSelector({ matchLabels: { ...selector } }, labels);

/** The Services of a namespace whose selector matches the labels: those that a change of such a pod concerns. */
export function servicesSelecting(services: Iterable<Service>, labels: Labels): string[] {
  const keys: string[] = [];
  for (const { metadata, spec } of services) {
    const { selector } = spec ?? {};
    if (selector !== undefined && Object.keys(selector).length > 0 && matches(selector, labels)) {
      keys.push(`${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`);
    }
  }
  return keys;
}

/** Slices of up to a hundred endpoints each; one without endpoints when no pod is selected. */
function slicesOf(service: Service, pods: readonly WorkloadPod[]): EndpointSlice[] {
  const { namespace = '', name = '' } = service.metadata ?? {};
  if (service.spec?.selector === undefined || service.spec.type === 'ExternalName') return [];
  const count = Math.max(Math.ceil(pods.length / endpointsPerSlice), 1);
  return Array.from({ length: count }, (_, index) => {
    const part = pods.slice(index * endpointsPerSlice, (index + 1) * endpointsPerSlice);
    return {
      metadata: {
        namespace,
        name: `${name}-${index}`,
        labels: { 'kubernetes.io/service-name': name, [managedLabel]: manager },
      },
      addressType: 'IPv4',
      ports: (service.spec?.ports ?? []).map((port) => portOf(port, part)),
      endpoints: part.map((pod) => endpointOf(pod)),
    };
  });
}

function endpointOf({ podIp = '', isReady, isDeleting, node, name, namespace, uid }: WorkloadPod): Endpoint {
  return {
    addresses: [podIp],
    conditions: { ready: isReady && !isDeleting, serving: isReady, terminating: isDeleting },
    nodeName: node,
    targetRef: { kind: 'Pod', namespace, name, uid },
  };
}

/** A target port by name is the number that the first pod with such a port gives it. */
function portOf({ name, port, targetPort, protocol = 'TCP' }: ServicePort, pods: readonly WorkloadPod[]): EndpointPort {
  const target = targetPort ?? port;
  const number = typeof target === 'number' ? target : pods.flatMap(({ ports }) => ports).find((known) => known.name === target)?.port;
  return { name: name ?? '', protocol, ...(number === undefined ? {} : { port: number }) };
}
