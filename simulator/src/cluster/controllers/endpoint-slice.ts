import { done, jsonEqual, type Reconciler, withOwner } from '@quartermaster/controller';
import { kinds, refOf } from '@quartermaster/kube';
import type { Endpoint, EndpointPort, EndpointSlice, Service, ServicePort } from '@quartermaster/kube/shapes';
import { tolerating } from '../client/tolerating.ts';
import { type Labels, matchesSelector } from '../pods/label-selector.ts';
import type { WorkloadPod } from '../pods/workload-pod.ts';
import type { ControllerContext } from './controller-context.ts';

const managedLabel = 'endpointslice.kubernetes.io/managed-by';
const manager = 'simulated-endpoint-slice';

/** Keeps one EndpointSlice for every Service that selects pods. */
export const endpointSliceReconciler = ({ caches, client }: ControllerContext): Reconciler => ({
  name: manager,
  reconcile: async (key, signal) => {
    const service = caches.services.get(key)?.value;
    const existing = caches.endpointSlices
      .byIndex('service', key)
      .flatMap(({ value }) => (value.metadata?.labels?.[managedLabel] === manager ? [value] : []));
    const isSelecting = service !== undefined && selects(service) && service.metadata?.deletionTimestamp === undefined;
    if (!isSelecting) {
      for (const slice of existing) await client.delete(kinds.endpointSlices, refOf(slice), { signal });
      return done;
    }
    const pods = caches.pods.byIndex('namespace', service.metadata?.namespace ?? '').map(({ value }) => value);
    const slice = sliceOf(service, pods);
    const before = existing.find(({ metadata }) => metadata?.name === slice.metadata?.name);
    if (before === undefined)
      await tolerating('already-exists', client.create(kinds.endpointSlices, withOwner(slice, kinds.services, service), { signal }));
    else if (!jsonEqual(before.endpoints ?? [], slice.endpoints) || !jsonEqual(before.ports ?? [], slice.ports ?? []))
      await client.replace(kinds.endpointSlices, { ...slice, metadata: before.metadata ?? {} }, { signal });
    return done;
  },
});

const selects = ({ spec }: Service): boolean => spec?.type !== 'ExternalName' && Object.keys(spec?.selector ?? {}).length > 0;

const isSelected = ({ spec }: Service, labels: Labels): boolean => matchesSelector({ matchLabels: { ...spec?.selector } }, labels);

/** The Services of a namespace whose selector matches the labels: those that a change of such a pod concerns. */
export const servicesSelecting = (services: readonly Service[], labels: Labels): string[] =>
  services
    .filter((service) => selects(service) && isSelected(service, labels))
    .map(({ metadata }) => `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`);

function sliceOf(service: Service, pods: readonly WorkloadPod[]): EndpointSlice {
  const { namespace = '', name = '' } = service.metadata ?? {};
  const selected = pods
    .filter(({ labels, podIp, phase }) => podIp !== undefined && !['Succeeded', 'Failed'].includes(phase) && isSelected(service, labels))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    metadata: { namespace, name: `${name}-0`, labels: { 'kubernetes.io/service-name': name, [managedLabel]: manager } },
    addressType: 'IPv4',
    ports: (service.spec?.ports ?? []).map((port) => portOf(port, selected)),
    endpoints: selected.map(endpointOf),
  };
}

function endpointOf({ podIp = '', isReady, isDeleting, nodeName, name, namespace, uid }: WorkloadPod): Endpoint {
  return {
    addresses: [podIp],
    conditions: { ready: isReady && !isDeleting, serving: isReady, terminating: isDeleting },
    nodeName,
    targetRef: { kind: 'Pod', namespace, name, uid },
  };
}

/** A target port by name is the number that the first pod with such a port gives it. */
function portOf({ name, port, targetPort, protocol = 'TCP' }: ServicePort, pods: readonly WorkloadPod[]): EndpointPort {
  const target = targetPort ?? port;
  const number = typeof target === 'number' ? target : pods.flatMap(({ ports }) => ports).find((known) => known.name === target)?.port;
  return { name: name ?? '', protocol, port: number };
}
