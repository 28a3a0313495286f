import type { ManifestService } from '@quartermaster/api/lease-manifest';
import { kinds } from '@quartermaster/kube';
import type { PodResourceClaim, ResourceClaimSpec, ResourceClaimTemplate } from '@quartermaster/kube/shapes';
import type { DesiredObject, LeaseContent } from './desired.ts';
import { desiredObject } from './desired-object.ts';
import { objectMeta } from './object-labels.ts';
import { claimTemplateName } from './object-names.ts';
import type { ServiceCards } from './planned-service.ts';

const claimName = 'gpus';
const gibibyte = 2 ** 30;

/** Cards that a driver hands out by claims: what the pods of a service refer to, and the template that their claims are made of. */
export interface GpuClaim {
  readonly reference: PodResourceClaim;
  readonly template: DesiredObject<ResourceClaimTemplate>;
}

/** Undefined where the cards come from a device plugin, or there are none. */
export function gpuClaim(content: LeaseContent, { name }: ManifestService, cards: ServiceCards | undefined): GpuClaim | undefined {
  if (cards?.isClaimed !== true) return undefined;
  const selectors = memorySelectors(cards);
  const request = { deviceClassName: cards.resource, allocationMode: 'ExactCount', count: cards.count, ...selectors };
  const spec: ResourceClaimSpec = { devices: { requests: [{ name: claimName, exactly: request }] } };
  const templateName = claimTemplateName(name, spec);
  return {
    reference: { name: claimName, resourceClaimTemplateName: templateName },
    template: desiredObject(kinds.resourceClaimTemplates, { metadata: objectMeta(content, templateName, name), spec: { spec } }),
  };
}

/**
 * A node may have cards of one driver with different memory, which are sold one by one. Drivers have their own words for models; of memory all have the same, to the
 * GiB that orders count in. A driver that tells none is believed, and so is one where no size was ordered: that of the plan may be another in the next one.
 */
function memorySelectors({ resource, wants }: ServiceCards) {
  const sizes = new Set(wants.map(({ memoryBytes = 0 }) => Math.round(memoryBytes / gibibyte)));
  const [size = 0] = sizes;
  if (sizes.size !== 1 || size === 0) return {};
  const capacity = `device.capacity[${JSON.stringify(resource)}]`;
  const [least, beyond] = [(size - 0.5) * gibibyte, (size + 0.5) * gibibyte];
  const isWithin = `${capacity}.memory.compareTo(quantity("${least}")) >= 0 && ${capacity}.memory.compareTo(quantity("${beyond}")) < 0`;
  return { selectors: [{ cel: { expression: `!("memory" in ${capacity}) || (${isWithin})` } }] };
}
