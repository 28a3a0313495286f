import { kinds } from '@quartermaster/kube';
import type { Namespace } from '@quartermaster/kube/shapes';
import { leaseAnnotations } from '../model/lease-labels.ts';
import type { DesiredObject, LeaseContent } from './desired.ts';
import { desiredObject } from './desired-object.ts';
import { objectLabels } from './object-labels.ts';

const podSecurity = Object.fromEntries(
  ['enforce', 'warn', 'audit'].flatMap((mode) => [
    [`pod-security.kubernetes.io/${mode}`, 'baseline'],
    [`pod-security.kubernetes.io/${mode}-version`, 'latest'],
  ]),
);

export const namespaceObject = (content: Pick<LeaseContent, 'lease' | 'namespace'>): DesiredObject<Namespace> =>
  desiredObject(kinds.namespaces, {
    metadata: {
      name: content.namespace,
      labels: { ...objectLabels(content), ...podSecurity },
      annotations: leaseAnnotations(content.lease),
    },
  });
