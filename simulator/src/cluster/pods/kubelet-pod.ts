import type { Container, ContainerStatus, EnvVar, PodCondition, PodStatus } from '@quartermaster/kube/shapes';
import type { DeviceRequest } from '../node/node-devices.ts';
import { failsByItself } from './image-failure.ts';
import type { PodFields } from './pod-fields.ts';

/**
 * How a pod without a registered program behaves. All are annotations of the pod; times are in milliseconds.
 *
 *   run-for-ms      its containers end after this time; without it they run until they are stopped
 *   exit-code       with which they then end; 0 unless given
 *   start-after-ms  how long it stays in ContainerCreating
 *   stop-after-ms   how long its containers take to end when told to; at once unless given
 *   log             what they log, line by line, when they start
 *
 * An image with the tag `crash` ends at once with code 1. Others that fail on purpose are in `image-failure.ts`.
 */
export const behaviourPrefix = 'simulator.quartermaster.dev/';

/** A variable of a container without a registered program: how many lines it logs each second, numbered, for as long as it runs. */
export const logRateVariable = 'SIMULATED_LOG_LINES_PER_SECOND';

export interface KubeletContainer {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly env: readonly EnvVar[];
  /** Whether the end of its log is told as what it died of. */
  readonly tellsLogOnError: boolean;
}

/** What the kubelet keeps of a pod that it has work with. */
export interface ActivePod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly containers: readonly KubeletContainer[];
  readonly restartPolicy: string;
  readonly hostNetwork: boolean;
  readonly isDeleting: boolean;
  readonly graceMs: number;
  readonly startTime: string | undefined;
  readonly conditions: readonly PodCondition[];
  readonly containerStatuses: readonly ContainerStatus[];
}

/** One pod in the kubelet's cache. `active` is absent when there is nothing to do for it, which is what most of many pods are. */
export interface KubeletPod {
  readonly nodeName: string;
  readonly phase: string;
  readonly podIp: string | undefined;
  readonly fingerprint: string;
  readonly active: ActivePod | undefined;
  /** GPUs that its containers ask for; undefined for the many pods that ask for none. */
  readonly devices: readonly DeviceRequest[] | undefined;
}

/** `needsCare` tells of images whose program must run even in a pod that reads Running. */
export function projectPod(pod: PodFields, needsCare: (image: string) => boolean): KubeletPod {
  const phase = pod.status?.phase ?? 'Pending';
  const settled =
    pod.spec?.nodeName === undefined ||
    (pod.metadata?.deletionTimestamp === undefined && (isTerminalPhase(phase) || (phase === 'Running' && isPlain(pod, needsCare))));
  return {
    nodeName: pod.spec?.nodeName ?? '',
    phase,
    podIp: pod.status?.podIP,
    fingerprint: fingerprint(pod.status),
    active: settled ? undefined : activePod(pod),
    devices: deviceRequests(pod),
  };
}

export const isTerminalPhase = (phase: string): boolean => phase === 'Succeeded' || phase === 'Failed';

/** Runs until it is stopped, and does so already: nothing can happen to it without a change that the watch shows. */
function isPlain(pod: PodFields, needsCare: (image: string) => boolean): boolean {
  const { annotations = {} } = pod.metadata ?? {};
  if (annotations[`${behaviourPrefix}run-for-ms`] !== undefined || annotations[`${behaviourPrefix}stop-after-ms`] !== undefined)
    return false;
  // Others call a pod NotReady when they have lost its node; only the kubelet says that it is ready again.
  if (pod.status?.conditions?.find(({ type }) => type === 'Ready')?.status !== 'True') return false;
  if (pod.status?.containerStatuses?.every(({ state }) => state?.running !== undefined) !== true) return false;
  return (pod.spec?.containers ?? []).every(
    ({ image = '', env = [] }) => !needsCare(image) && !failsByItself(image) && !env.some(({ name }) => name === logRateVariable),
  );
}

export function activePod(pod: PodFields): ActivePod {
  const { metadata, spec, status } = pod;
  return {
    namespace: metadata?.namespace ?? '',
    name: metadata?.name ?? '',
    uid: metadata?.uid ?? '',
    labels: metadata?.labels ?? {},
    annotations: metadata?.annotations ?? {},
    containers: (spec?.containers ?? []).map(kubeletContainer),
    restartPolicy: spec?.restartPolicy ?? 'Always',
    hostNetwork: spec?.hostNetwork ?? false,
    isDeleting: metadata?.deletionTimestamp !== undefined,
    graceMs: (metadata?.deletionGracePeriodSeconds ?? spec?.terminationGracePeriodSeconds ?? 30) * 1000,
    startTime: status?.startTime,
    conditions: status?.conditions ?? [],
    containerStatuses: status?.containerStatuses ?? [],
  };
}

const kubeletContainer = ({ name, image = '', command = [], args = [], env = [], ...more }: Container): KubeletContainer => ({
  name,
  image,
  command,
  args,
  env,
  tellsLogOnError: more.terminationMessagePolicy === 'FallbackToLogsOnError',
});

/** Equal for two statuses that tell the same about the pod, however they word it. */
export function fingerprint(status: Pick<PodStatus, 'phase' | 'conditions' | 'containerStatuses'> | undefined): string {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? '';
  const containers = (status?.containerStatuses ?? []).map(
    ({ name, restartCount, state }) => `${name}:${restartCount}:${stateText(state)}`,
  );
  return [status?.phase ?? 'Pending', ready, ...containers].join('|');
}

function stateText(state: ContainerStatus['state']): string {
  if (state?.running !== undefined) return 'running';
  if (state?.terminated !== undefined) return `terminated ${state.terminated.exitCode}`;
  return `waiting ${state?.waiting?.reason ?? ''}`;
}

/** A number from an annotation of the pod; undefined when it is absent or not a number. */
export function behaviour(annotations: Readonly<Record<string, string>>, name: string): number | undefined {
  const text = annotations[behaviourPrefix + name];
  const value = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}

const deviceResources = ['nvidia.com/gpu', 'amd.com/gpu'];

/** Undefined when the pod asks for no GPU. Init containers that end before the others begin leave their devices to those. */
function deviceRequests({ spec }: PodFields): readonly DeviceRequest[] | undefined {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const found = [...sidecars, ...(spec?.containers ?? [])].flatMap(requestsOf);
  return found.length === 0 ? undefined : found;
}

function requestsOf({ name, resources: asked }: Container): DeviceRequest[] {
  if (asked === undefined) return [];
  return deviceResources.flatMap((resource) => {
    const count = Number(asked.limits?.[resource] ?? asked.requests?.[resource] ?? 0);
    return Number.isSafeInteger(count) && count > 0 ? [{ container: name, resource, count }] : [];
  });
}
