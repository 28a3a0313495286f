import type { ManifestService } from '@quartermaster/api/lease-manifest';
import { accessObjects } from './access-objects.ts';
import type { DesiredObject, LeaseContent } from './desired.ts';
import { serviceEnvironment } from './environment.ts';
import { gpuClaim } from './gpu-claims.ts';
import { addressServices } from './leased-ips.ts';
import { networkPolicies } from './network-policies.ts';
import { plannedCards } from './planned-service.ts';
import { podTemplate } from './pod-template.ts';
import { quotaObject } from './quota-object.ts';
import { credentialObjects } from './registry-credentials.ts';
import { serviceObjects } from './service-objects.ts';
import { workload } from './workload.ts';

/**
 * Everything in the namespace of a lease, in the order in which it is to be written: nothing runs before what bounds it and what it refers to. No two have the same
 * kind and name. Throws `failed_precondition` where the manifest has what the plan has not.
 */
export const leaseObjects = (content: LeaseContent): readonly DesiredObject[] => [
  quotaObject(content),
  ...networkPolicies(content),
  ...content.group.services.flatMap((service) => objectsOf(content, service)),
];

function objectsOf(content: LeaseContent, service: ManifestService): readonly DesiredObject[] {
  const environment = serviceEnvironment(content, service);
  const cards = plannedCards(content, service);
  const claim = gpuClaim(content, service, cards);
  return [
    ...accessObjects(content, service),
    ...environment.objects,
    ...credentialObjects(content, service),
    ...(claim === undefined ? [] : [claim.template]),
    workload(content, service, podTemplate(content, service, { environment, cards, claim })),
    ...serviceObjects(content, service),
    ...addressServices(content, service),
  ];
}
