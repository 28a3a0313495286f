import type { ObjectMeta } from '@quartermaster/kernel';
import { leaseLabels, namespaceLabel, serviceLabel } from '../model/lease-labels.ts';
import type { LeaseContent } from './desired.ts';

type Labels = Readonly<Record<string, string>>;

/** Which names nothing of a tenant but, with `service`, the name of a service, which is a valid label. */
export function objectLabels({ lease, namespace }: Pick<LeaseContent, 'lease' | 'namespace'>, service?: string): Labels {
  const base = { 'akash.network': 'true', [namespaceLabel]: namespace, ...leaseLabels(lease) };
  return service === undefined ? base : { ...base, [serviceLabel]: service };
}

/** By which workloads, Services and policies find the pods of a service. Workloads cannot change theirs: it must stay what it is. */
export const selectorLabels = ({ namespace }: Pick<LeaseContent, 'namespace'>, service: string): Labels => ({
  'akash.network': 'true',
  [namespaceLabel]: namespace,
  [serviceLabel]: service,
});

/** Of an object in the namespace of the lease. */
export const objectMeta = (content: LeaseContent, name: string, service?: string): ObjectMeta => ({
  name,
  namespace: content.namespace,
  labels: objectLabels(content, service),
});
