import { manifestNames, manifestText } from '@quartermaster/api/manifests';
import { discoveryDaemonSet } from '@quartermaster/inventory/discovery';
import type { KubeObject } from '@quartermaster/kube';
import { parseAllDocuments } from 'yaml';

export interface ManifestOptions {
  readonly namespace: string;
  /** The image of this product, for what runs in the cluster. */
  readonly image: string;
}

/** Everything that a cluster needs so that its nodes are discovered, in the order in which it is to be applied. */
export async function discoveryManifests({ namespace, image }: ManifestOptions): Promise<readonly KubeObject[]> {
  const texts = await Promise.all(manifestNames.map(manifestText));
  const shared = texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as KubeObject));
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    ...shared.map((object) => inNamespace(object, namespace)),
    discoveryDaemonSet({ namespace, image }),
  ];
}

/** The manifests name the usual namespace. */
function inNamespace(object: KubeObject, namespace: string): KubeObject {
  return JSON.parse(JSON.stringify(object), (key, value: unknown) => (key === 'namespace' ? namespace : value)) as KubeObject;
}
