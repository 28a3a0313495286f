import type { Clock } from '@quartermaster/kernel';
import type { KindRegistry } from '../kinds/kind-registry.ts';
import { rfc3339 } from '../object/api-object.ts';
import type { Store } from '../store/store.ts';
import type { ObjectWriter } from '../write/object-writer.ts';
import { serviceRange } from '../write/service-addresses.ts';
import { firstNamespaces, internalWrite } from './namespace-lifecycle.ts';

export interface FirstObjectsParts {
  readonly store: Store;
  readonly registry: KindRegistry;
  readonly writer: ObjectWriter;
  readonly clock: Clock;
}

/** Makes what a server has before anybody has asked it for anything, where it lacks it. */
export function makeFirstObjects({ store, registry, writer, clock }: FirstObjectsParts): void {
  const namespaces = registry.get('', 'v1', 'namespaces');
  for (const name of firstNamespaces) {
    if (store.get('/namespaces', name) === undefined) writer.create(namespaces, undefined, { metadata: { name } }, internalWrite);
  }
  const ranges = registry.get('networking.k8s.io', 'v1', 'servicecidrs');
  const name = 'kubernetes';
  if (store.get(ranges.storageKey, name) !== undefined) return;
  writer.create(ranges, undefined, { metadata: { name }, spec: { cidrs: [serviceRange] } }, internalWrite);
  const message = 'Kubernetes Service CIDR is ready';
  const ready = { type: 'Ready', status: 'True', lastTransitionTime: rfc3339(clock.now()), reason: '', message };
  const told = { ...internalWrite, subresource: 'status', isReplace: false };
  writer.update(ranges, { namespace: undefined, name }, (live) => ({ ...live, status: { conditions: [ready] } }), told);
}
