import { podRequests } from '@quartermaster/kube';
import type { Container, ContainerState, ContainerStatus, Pod } from '@quartermaster/kube/shapes';
import type { ContainerView, PodDetail, PodRow } from '../../kubernetes-view.ts';

/** Undefined for a time that is not there. */
export function timeOf(text: string | undefined): number | undefined {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

export function podRow({ metadata, spec, status }: Pod): PodRow {
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return {
    namespace: metadata?.namespace ?? '',
    name: metadata?.name ?? '',
    phase: status?.phase ?? 'Unknown',
    reason: status?.reason ?? statuses.map(({ state }) => reasonOf(state)).find((reason) => reason !== undefined),
    node: spec?.nodeName,
    createdAt: timeOf(metadata?.creationTimestamp),
    restarts: statuses.reduce((sum, { restartCount }) => sum + restartCount, 0),
  };
}

/** Nothing of a pod but what is named here leaves the server: environments, arguments and annotations may hold secrets. */
export function podDetail(pod: Pod): PodDetail {
  const { metadata, spec, status } = pod;
  const [owner] = metadata?.ownerReferences ?? [];
  const { cpuMillis, memoryBytes, extended } = podRequests(pod);
  const view = (containers: readonly Container[] | undefined, statuses: readonly ContainerStatus[] | undefined, isInit: boolean) =>
    (containers ?? []).map((container) =>
      containerView(
        container,
        statuses?.find(({ name }) => name === container.name),
        isInit,
      ),
    );
  return {
    ...podRow(pod),
    startedAt: timeOf(status?.startTime),
    serviceAccount: spec?.serviceAccountName,
    owner: owner === undefined ? undefined : { kind: owner.kind, name: owner.name },
    labels: metadata?.labels ?? {},
    requests: { cpuMillis, memoryBytes, extended: Object.fromEntries(extended) },
    containers: [
      ...view(spec?.initContainers, status?.initContainerStatuses, true),
      ...view(spec?.containers, status?.containerStatuses, false),
    ],
    conditions: (status?.conditions ?? []).map(({ type, status: value, reason, message, lastTransitionTime }) => ({
      type,
      status: value,
      reason,
      message,
      since: timeOf(lastTransitionTime ?? undefined),
    })),
  };
}

function containerView({ name, image, resources }: Container, status: ContainerStatus | undefined, isInit: boolean): ContainerView {
  const state = status?.state;
  return {
    name,
    image: image ?? '',
    isInit,
    isReady: status?.ready ?? false,
    state: state === undefined ? undefined : Object.keys(state)[0],
    reason: state?.waiting?.reason ?? state?.terminated?.reason,
    exitCode: state?.terminated?.exitCode,
    restarts: status?.restartCount ?? 0,
    requests: resources?.requests ?? {},
    limits: resources?.limits ?? {},
  };
}

/** Of a container that waits or failed. One that is done gives none. */
function reasonOf(state: ContainerState | undefined): string | undefined {
  if (state?.waiting !== undefined) return state.waiting.reason;
  return state?.terminated === undefined || state.terminated.exitCode === 0 ? undefined : state.terminated.reason;
}
