import type { Container } from '@quartermaster/kube/shapes';
import type { DeviceRequest } from './node-devices.ts';

type AskingContainer = Pick<Container, 'name' | 'resources' | 'restartPolicy'>;

/** What is read of a pod here. */
interface AskingPod {
  readonly spec?:
    | { readonly containers?: readonly AskingContainer[]; readonly initContainers?: readonly AskingContainer[] | undefined }
    | undefined;
}

const resources = ['nvidia.com/gpu', 'amd.com/gpu'];

/** Undefined when the pod asks for no GPU. Init containers that end before the others begin leave their devices to those. */
export function deviceRequests({ spec }: AskingPod): readonly DeviceRequest[] | undefined {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const found = [...sidecars, ...(spec?.containers ?? [])].flatMap(requestsOf);
  return found.length === 0 ? undefined : found;
}

function requestsOf({ name, resources: asked }: AskingContainer): DeviceRequest[] {
  if (asked === undefined) return [];
  return resources.flatMap((resource) => {
    const count = Number(asked.limits?.[resource] ?? asked.requests?.[resource] ?? 0);
    return Number.isSafeInteger(count) && count > 0 ? [{ container: name, resource, count }] : [];
  });
}
