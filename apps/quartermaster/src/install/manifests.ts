import { manifestNames, manifestText } from '@quartermaster/api/manifests';
import { deployText } from '@quartermaster/inventory';
import { discoveryDaemonSet } from '@quartermaster/inventory/discovery';
import type { KubeObject } from '@quartermaster/kube';
import { parseAllDocuments } from 'yaml';
import { productImage, productNamespace } from './product-image.ts';

export interface ManifestOptions {
  readonly namespace: string;
  /** The image of this product, for what runs in the cluster. */
  readonly image: string;
}

export interface AllManifestOptions extends ManifestOptions {
  /** Namespaces in which the operator may run commands in pods, to ask Ceph through Rook's toolbox. */
  readonly cephNamespaces: readonly string[];
}

/** Everything that a cluster needs so that its nodes are discovered, in the order in which it is to be applied. */
export async function discoveryManifests({ namespace, image }: ManifestOptions): Promise<readonly KubeObject[]> {
  const texts = await Promise.all(manifestNames.map(manifestText));
  return [
    // Agents read what only root may read.
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } } },
    ...texts.flatMap(objectsOf).map((object) => renamed(object, { namespace: { [productNamespace]: namespace } })),
    discoveryDaemonSet({ namespace, image }),
  ];
}

/** Everything that Quartermaster consists of in a cluster, in the order in which it is to be applied. */
export async function allManifests({ namespace, image, cephNamespaces }: AllManifestOptions): Promise<readonly KubeObject[]> {
  const [discovery, rbac, toolbox, operator] = await Promise.all([
    discoveryManifests({ namespace, image }),
    deployText('rbac'),
    deployText('ceph-toolbox-rbac'),
    deployText('operator'),
  ]);
  const ours = { namespace: { [productNamespace]: namespace }, image: { [productImage]: image } };
  const forToolbox = cephNamespaces.flatMap((ceph) =>
    objectsOf(toolbox).map((object) => renamed(object, { namespace: { ...ours.namespace, [toolboxNamespace]: ceph } })),
  );
  const own = (text: string): readonly KubeObject[] => objectsOf(text).map((object) => renamed(object, ours));
  return [...discovery, ...own(rbac), ...forToolbox, ...own(operator)];
}

const toolboxNamespace = 'rook-ceph';

function objectsOf(text: string): readonly KubeObject[] {
  return parseAllDocuments(text).map((document) => document.toJS() as KubeObject);
}

/** field -> value that the manifests have -> the one that is wanted. Other values of these fields mean something else and stay. */
type Renames = Readonly<Record<string, Readonly<Record<string, string>>>>;

function renamed(object: KubeObject, renames: Renames): KubeObject {
  const rename = (key: string, value: unknown): unknown => (typeof value === 'string' ? (renames[key]?.[value] ?? value) : value);
  return JSON.parse(JSON.stringify(object), rename) as KubeObject;
}
