import type { ManifestService } from '@quartermaster/api/lease-manifest';
import { kinds } from '@quartermaster/kube';
import type { ResourceQuota } from '@quartermaster/kube/shapes';
import { cardResources } from '../knowledge/akash-figures.ts';
import type { DesiredObject, LeaseContent } from './desired.ts';
import { desiredObject } from './desired-object.ts';
import { leasedPorts } from './leased-ips.ts';
import { objectMeta } from './object-labels.ts';
import { plannedCards } from './planned-service.ts';
import { podResources } from './pod-resources.ts';
import { bytesText, countText, cpuText } from './quantities.ts';
import { hasVolumes, volumeBytes } from './volumes.ts';

/**
 * What the lease may have at most: what is reserved for it, and nothing of what it did not order but room for logs. A pod that ends counts until it is gone, and nobody tells a
 * Deployment when that is: there is room for one more of each, which waits at its gate for the place of the former.
 */
export function quotaObject(content: LeaseContent): DesiredObject<ResourceQuota> {
  const { services } = content.group;
  const sum = (of: (service: ManifestService) => number): number => services.reduce((total, each) => total + of(each), 0);
  const perPod = (of: (service: ManifestService) => number): number => sum((service) => podsAtOnce(service) * of(service));
  const requests = (service: ManifestService) => podResources(content, service).requests;
  const limits = (service: ManifestService) => podResources(content, service).limits;
  const persistent = ({ resources }: ManifestService): number => resources.volumes.filter(({ kind }) => kind === 'persistent').length;
  return desiredObject(kinds.resourceQuotas, {
    metadata: objectMeta(content, 'akash-reservation'),
    spec: {
      hard: {
        pods: countText(perPod(() => 1)),
        'requests.cpu': cpuText(perPod((each) => requests(each).cpuMillis)),
        'limits.cpu': cpuText(perPod((each) => limits(each).cpuMillis)),
        'requests.memory': bytesText(perPod((each) => requests(each).memoryBytes)),
        'limits.memory': bytesText(perPod((each) => limits(each).memoryBytes)),
        'requests.ephemeral-storage': bytesText(perPod((each) => requests(each).ephemeralBytes)),
        'limits.ephemeral-storage': bytesText(perPod((each) => limits(each).ephemeralBytes)),
        'requests.storage': bytesText(sum((each) => each.count * volumeBytes(each, 'persistent'))),
        persistentvolumeclaims: countText(sum((each) => each.count * persistent(each))),
        'services.nodeports': countText(content.plan.ports),
        'services.loadbalancers': countText(sum((each) => leasedPorts(each).length)),
        ...cards(content),
      },
    },
  });
}

function cards(content: LeaseContent): Readonly<Record<string, string>> {
  // A lease without cards of a device plugin gets none, whatever its pods ask for.
  const counts = new Map(Array.from(cardResources, (resource) => [`requests.${resource}`, 0])); // resource of the quota -> cards
  for (const service of content.group.services) {
    const planned = plannedCards(content, service);
    if (planned === undefined) continue;
    const { resource, isClaimed, count } = planned;
    const key = isClaimed ? `${resource}.deviceclass.resource.k8s.io/devices` : `requests.${resource}`;
    counts.set(key, (counts.get(key) ?? 0) + podsAtOnce(service) * count);
  }
  return Object.fromEntries([...counts].map(([key, count]) => [key, countText(count)]));
}

/** With one that ends while the next one of a Deployment is there. A StatefulSet waits until it is gone. */
const podsAtOnce = (service: ManifestService): number => service.count + (hasVolumes(service, 'persistent') ? 0 : 1);
