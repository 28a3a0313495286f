import { apiVersionOf, type KubeObject, type ResourceType } from '@quartermaster/kube';
import type { DesiredObject } from './desired.ts';

/** With the kind and the version, which an object that is applied must name itself. */
export function desiredObject<T extends KubeObject>(type: ResourceType<T>, object: T): DesiredObject<T> {
  return { type, object: { apiVersion: apiVersionOf(type), kind: type.kind, ...object } };
}
