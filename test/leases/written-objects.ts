import type { KubeObject } from '@quartermaster/kube';

type Fields = Readonly<Record<string, unknown>>;

/** Made by the cluster alone, of pods and namespaces, and whenever it gets to it. */
const ofTheCluster = /^(Endpoints |EndpointSlice |ConfigMap kube-root-ca\.crt$|ServiceAccount default$)/;

/** The cluster's own controllers write to these too, at times of their own: their status, and notes of the controller of Deployments. */
const shared = new Set([
  ...['Namespace', 'Deployment', 'StatefulSet', 'ReplicaSet', 'ControllerRevision', 'Pod'],
  ...['ResourceQuota', 'Service', 'PersistentVolumeClaim', 'PersistentVolume'],
]);
const notesOfControllers = /^deployment\.kubernetes\.io\//;

const without = (fields: object | undefined, ...names: readonly (string | RegExp)[]): Fields =>
  Object.fromEntries(
    Object.entries(fields ?? {}).filter(([field]) => !names.some((name) => (typeof name === 'string' ? name === field : name.test(field)))),
  );

/** Metadata, but for how often and by whom it was written. */
const metadataOf = ({ metadata }: KubeObject): Fields => ({
  ...without(metadata, 'resourceVersion', 'managedFields'),
  annotations: without(metadata?.annotations, notesOfControllers),
});

/**
 * What the provider has written of these objects, one text for each: two of them are alike where it wrote nothing between, whatever the cluster's own controllers did. Of what it
 * alone writes that is the version. Left out are the term of reservations, which is how an earlier leader is kept from writing, and whether a lease is seen: a watch that is silent
 * for too long of a time that passes faster is opened anew, and for that moment its record says NotSeen, and since when it says what it says then.
 */
export function writtenOf(objects: readonly KubeObject[]): readonly string[] {
  return objects
    .map((object) => ({ object, name: `${object.kind} ${object.metadata?.name}` }))
    .filter(({ name }) => !ofTheCluster.test(name))
    .map(({ object, name }) => `${name} ${JSON.stringify(contentOf(object), undefined, 1)}`)
    .sort();
}

function contentOf(object: KubeObject): unknown {
  const { spec, status } = object as { readonly spec?: object; readonly status?: object };
  const { kind = '', metadata } = object;
  if (shared.has(kind)) return { ...without(object, 'status'), metadata: metadataOf(object) };
  if (kind === 'Reservation') return { metadata: without(metadataOf(object), 'generation'), spec: without(spec, 'term'), status };
  if (kind === 'TenantLease') return { metadata: metadataOf(object), spec, status: without(status, 'reason', 'message', 'since') };
  return `${metadata?.namespace} ${metadata?.uid}@${metadata?.resourceVersion}`;
}
