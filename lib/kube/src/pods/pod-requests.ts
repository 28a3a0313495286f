/**
 * What a pod takes from its node, counted as the scheduler of Kubernetes 1.36 counts it with its default feature gates. In short:
 *
 *   app containers      summed
 *   sidecars            (init containers with restartPolicy Always) summed with the app containers
 *   init containers     each needs itself and the sidecars before it; the largest such need is a lower bound for the total
 *   resize in place     an app container or sidecar takes the largest of asked, allocated and in use, per resource; of allocated and
 *                       in use alone once the kubelet called the resize infeasible
 *   pod-level requests  replace the total for cpu, memory and huge pages, with the same rule for a resize
 *   overhead            on top of all
 *
 * Fractions are summed exactly and rounded up once, at the end. Limits play no part: the API server turns those without requests into
 * requests before it stores a pod. The deprecated `status.resize` plays none either.
 */
import {
  addQuantity,
  compareQuantity,
  milliValue,
  parseQuantity,
  type Quantity,
  quantityFromWhole,
  StatusError,
  wholeValue,
} from '@quartermaster/kernel';
import type { FieldSelection } from '../objects/field-selection.ts';

/** resource name -> quantity */
export interface ResourceAmounts {
  readonly [resource: string]: string;
}

export interface RequestedResources {
  readonly requests?: ResourceAmounts | undefined;
}

export interface CountedContainer {
  readonly name: string;
  readonly restartPolicy?: string | undefined;
  readonly resources?: RequestedResources | undefined;
}

export interface CountedContainerStatus {
  readonly name: string;
  /** What the kubelet has admitted. */
  readonly allocatedResources?: ResourceAmounts | undefined;
  /** What is in force on the running container. */
  readonly resources?: RequestedResources | undefined;
}

export interface CountedCondition {
  readonly type: string;
  readonly reason?: string | undefined;
}

/** The parts of a pod that counting reads: a projection must keep these, and may drop everything else. */
export interface CountedPod {
  readonly spec?:
    | {
        readonly nodeName?: string | undefined;
        readonly containers?: readonly CountedContainer[] | undefined;
        readonly initContainers?: readonly CountedContainer[] | undefined;
        readonly overhead?: ResourceAmounts | undefined;
        readonly resources?: RequestedResources | undefined;
      }
    | undefined;
  readonly status?:
    | {
        readonly phase?: string | undefined;
        readonly conditions?: readonly CountedCondition[] | undefined;
        readonly containerStatuses?: readonly CountedContainerStatus[] | undefined;
        readonly initContainerStatuses?: readonly CountedContainerStatus[] | undefined;
        readonly allocatedResources?: ResourceAmounts | undefined;
        readonly resources?: RequestedResources | undefined;
      }
    | undefined;
}

/** The fields that `countsOnNode` and `podRequests` read, for a cache that declares its fields. */
export const countedPodFields = {
  spec: {
    nodeName: true,
    containers: { name: true, restartPolicy: true, resources: { requests: true } },
    initContainers: { name: true, restartPolicy: true, resources: { requests: true } },
    overhead: true,
    resources: { requests: true },
  },
  status: {
    phase: true,
    conditions: { type: true, reason: true },
    containerStatuses: { name: true, allocatedResources: true, resources: { requests: true } },
    initContainerStatuses: { name: true, allocatedResources: true, resources: { requests: true } },
    allocatedResources: true,
    resources: { requests: true },
  },
} as const satisfies FieldSelection<CountedPod>;

/** Amounts beyond 2^53-1 are given as 2^53-1: no node has either. */
export interface PodRequests {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  readonly ephemeralStorageBytes: number;
  /** resource name -> pieces (bytes for huge pages); holds every such resource that the pod names, at zero too. */
  readonly extended: ReadonlyMap<string, number>;
}

/** resource name -> quantity */
type Amounts = Map<string, Quantity>;

/**
 * True while the pod takes room on a node: from the moment it is assigned until it is gone or in a terminal phase. A pod that is being
 * deleted still counts, because its containers run until the kubelet reports their end.
 */
export function countsOnNode(pod: CountedPod): boolean {
  const nodeName = pod.spec?.nodeName ?? '';
  return nodeName !== '' && pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed';
}

/**
 * What the pod takes, whether or not it counts at the moment (`countsOnNode`). Throws `invalid_argument` naming the field for a
 * quantity that no API server would have stored.
 */
export function podRequests(pod: CountedPod): PodRequests {
  const total = requestsOfContainers(pod);
  if (pod.spec?.resources?.requests !== undefined) replaceByPodLevel(total, pod);
  if (pod.spec?.overhead !== undefined) addTo(total, read(pod.spec.overhead, 'spec.overhead'));
  return rounded(total);
}

function requestsOfContainers(pod: CountedPod): Amounts {
  const statuses = statusesByName(pod);
  const total: Amounts = new Map();
  for (const container of pod.spec?.containers ?? []) addTo(total, requestsInForce(pod, container, statuses));
  if (!pod.spec?.initContainers?.length) return total;

  const sidecars: Amounts = new Map();
  const starting: Amounts = new Map();
  for (const container of pod.spec.initContainers) {
    if (container.restartPolicy === 'Always') {
      const requests = requestsInForce(pod, container, statuses);
      addTo(total, requests);
      addTo(sidecars, requests);
    } else {
      const needed = read(container.resources?.requests, container.name);
      addTo(needed, sidecars);
      raiseTo(starting, needed);
    }
  }
  raiseTo(total, starting);
  return total;
}

type Statuses = ReadonlyMap<string, CountedContainerStatus>;

const tellsResources = ({ resources }: CountedContainerStatus): boolean => Boolean(resources);

/** An init container's status wins over an app container's of the same name, as in Kubernetes. Undefined where none tells of resources. */
function statusesByName({ status: { containerStatuses = [], initContainerStatuses = [] } = {} }: CountedPod): Statuses | undefined {
  if (!containerStatuses.some(tellsResources) && !initContainerStatuses.some(tellsResources)) return undefined;
  const statuses = new Map<string, CountedContainerStatus>();
  for (const status of containerStatuses) statuses.set(status.name, status);
  for (const status of initContainerStatuses) statuses.set(status.name, status);
  return statuses;
}

function requestsInForce(pod: CountedPod, container: CountedContainer, statuses: Statuses | undefined): Amounts {
  const asked = read(container.resources?.requests, container.name);
  const status = statuses?.get(container.name);
  if (!status?.resources) return asked;
  return largest(pod, asked, read(status.resources.requests, container.name), read(status.allocatedResources, container.name));
}

function largest(pod: CountedPod, asked: Amounts, inUse: Amounts, allocated: Amounts): Amounts {
  const result = isResizeInfeasible(pod) ? new Map(inUse) : asked;
  raiseTo(result, inUse);
  raiseTo(result, allocated);
  return result;
}

/** Kubernetes looks at the first such condition alone, and not at whether it is True. */
function isResizeInfeasible(pod: CountedPod): boolean {
  return pod.status?.conditions?.find((condition) => condition.type === 'PodResizePending')?.reason === 'Infeasible';
}

function replaceByPodLevel(total: Amounts, pod: CountedPod): void {
  const asked = read(pod.spec?.resources?.requests, 'spec.resources');
  const status = pod.status?.resources;
  const inForce = !status
    ? asked
    : largest(
        pod,
        new Map(asked),
        read(status.requests, 'status.resources'),
        read(pod.status?.allocatedResources, 'status.allocatedResources'),
      );
  for (const resource of asked.keys()) {
    if (!isPodLevelResource(resource)) continue;
    total.set(resource, inForce.get(resource) ?? quantityFromWhole(0));
  }
}

function isPodLevelResource(resource: string): boolean {
  return resource === 'cpu' || resource === 'memory' || resource.startsWith('hugepages-');
}

const noneExtended: PodRequests['extended'] = new Map();

function rounded(total: Amounts): PodRequests {
  let extended: Map<string, number> | undefined;
  for (const [resource, quantity] of total) {
    if (isScalarResource(resource)) extended = (extended ?? new Map()).set(resource, saturated(wholeValue(quantity)));
  }
  const cpu = total.get('cpu');
  return {
    cpuMillis: cpu === undefined ? 0 : saturated(milliValue(cpu)),
    memoryBytes: wholeOf(total, 'memory'),
    ephemeralStorageBytes: wholeOf(total, 'ephemeral-storage'),
    extended: extended ?? noneExtended,
  };
}

function wholeOf(total: Amounts, resource: string): number {
  const quantity = total.get(resource);
  return quantity === undefined ? 0 : saturated(wholeValue(quantity));
}

/** What the scheduler counts by name beside cpu, memory and ephemeral storage; it ignores any other resource, `pods` among them. */
function isScalarResource(name: string): boolean {
  if (name.startsWith('hugepages-') || name.startsWith('attachable-volumes-') || name.includes('kubernetes.io/')) return true;
  return name.includes('/') && !name.startsWith('requests.') && isQualifiedName(`requests.${name}`);
}

/** `domain/name` as labels are written. */
function isQualifiedName(text: string): boolean {
  const [domain = '', name = '', ...more] = text.split('/');
  if (more.length > 0 || domain.length > 253 || name.length > 63) return false;
  return (
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(domain) &&
    /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/.test(name)
  );
}

function read(amounts: ResourceAmounts | undefined, owner: string): Amounts {
  const result: Amounts = new Map();
  for (const [resource, text] of Object.entries(amounts ?? {})) {
    try {
      result.set(resource, parseQuantity(text));
    } catch (cause) {
      throw new StatusError('invalid_argument', `pod requests of ${owner}, resource ${resource}: not a quantity that Kubernetes accepts`, {
        cause,
      });
    }
  }
  return result;
}

function addTo(target: Amounts, more: Amounts): void {
  for (const [resource, quantity] of more) {
    const current = target.get(resource);
    target.set(resource, current === undefined ? quantity : addQuantity(current, quantity));
  }
}

function raiseTo(target: Amounts, least: Amounts): void {
  for (const [resource, quantity] of least) {
    const current = target.get(resource);
    if (current === undefined || compareQuantity(quantity, current) > 0) target.set(resource, quantity);
  }
}

function saturated(value: bigint): number {
  return Number(value > BigInt(Number.MAX_SAFE_INTEGER) ? BigInt(Number.MAX_SAFE_INTEGER) : value);
}
