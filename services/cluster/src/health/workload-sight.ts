import type { Deployment, StatefulSet } from '@quartermaster/kube/shapes';
import { serviceLabel } from '../model/lease-labels.ts';
import type { SeenWorkload } from './lease-health.ts';

export function seenDeployment(deployment: Deployment): SeenWorkload {
  const failure = deployment.status?.conditions?.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
  return { ...seen(deployment), kind: 'Deployment', failure: failure && (failure.message || 'its controller does not say why') };
}

export function seenStatefulSet(set: StatefulSet): SeenWorkload {
  return { ...seen(set), kind: 'StatefulSet' };
}

function seen({ metadata, status }: Deployment | StatefulSet): Omit<SeenWorkload, 'kind'> {
  const { observedGeneration = -1, availableReplicas = 0, readyReplicas = 0, updatedReplicas = 0 } = status ?? {};
  return {
    service: metadata?.labels?.[serviceLabel] ?? '',
    available: availableReplicas,
    ready: readyReplicas,
    updated: updatedReplicas,
    isObserved: observedGeneration >= (metadata?.generation ?? 0),
  };
}
