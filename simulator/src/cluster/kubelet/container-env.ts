import type { EnvVar } from '@quartermaster/kube/shapes';
import type { ContainerContext } from './image-registry.ts';

/** The values of a ConfigMap or Secret of the pod's namespace. */
export type ReadData = (kind: 'configMap' | 'secret', name: string) => Promise<Readonly<Record<string, string>>>;

/** What variables refer to: kind/name -> its values */
export type ReferredData = ReadonlyMap<string, Readonly<Record<string, string>>>;

/** Reads each ConfigMap and Secret that variables refer to, once. */
export async function readReferred(env: readonly EnvVar[], readData: ReadData): Promise<ReferredData> {
  const found = new Map<string, Readonly<Record<string, string>>>();
  for (const { kind, name } of env.flatMap((each) => referenceOf(each) ?? [])) {
    if (!found.has(`${kind}/${name}`)) found.set(`${kind}/${name}`, await readData(kind, name));
  }
  return found;
}

/** The values that a container of this pod would see; of the pod's own fields, those that simulated programs use. */
export function resolveEnv(
  env: readonly EnvVar[],
  pod: ContainerContext['pod'],
  node: ContainerContext['node'],
  referred: ReferredData,
): Record<string, string> {
  const fields: Readonly<Record<string, string>> = {
    'metadata.name': pod.name,
    'metadata.namespace': pod.namespace,
    'metadata.uid': pod.uid,
    'spec.nodeName': node.name,
    'status.podIP': pod.ip,
    'status.hostIP': node.address,
  };
  const values: Record<string, string> = { HOSTNAME: pod.name };
  for (const variable of env) {
    const { name, value, valueFrom } = variable;
    const reference = referenceOf(variable);
    values[name] =
      value ??
      (reference === undefined
        ? fields[valueFrom?.fieldRef?.fieldPath ?? '']
        : referred.get(`${reference.kind}/${reference.name}`)?.[reference.key]) ??
      '';
  }
  return values;
}

function referenceOf({ valueFrom: { configMapKeyRef, secretKeyRef } = {} }: EnvVar) {
  const ref = configMapKeyRef ?? secretKeyRef;
  if (ref === undefined) return undefined;
  return { kind: configMapKeyRef === undefined ? 'secret' : 'configMap', name: ref.name ?? '', key: ref.key } as const;
}
