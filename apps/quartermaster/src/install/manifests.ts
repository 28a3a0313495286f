import { contractsFolder } from '@quartermaster/api/manifests';
import { discoveryName, discoveryPaths } from '@quartermaster/inventory/discovery';
import { StatusError } from '@quartermaster/kernel';
import type { KubeObject } from '@quartermaster/kube';
import { type Deployment, type Manifest, readDeployment, readManifests } from '@quartermaster/service';
import { productImage, productNamespace } from '../product/product.ts';

/** An optional file of a deployment, and what the namespaces in it are to be called. */
export interface Addition {
  readonly file: string;
  readonly namespaces?: Readonly<Record<string, string>> | undefined;
}

export interface ManifestOptions {
  readonly namespace: string;
  /** The image of this product, for what runs in the cluster. */
  readonly image: string;
  readonly additions?: readonly Addition[] | undefined;
  /** Folders of node-local volumes that agents measure beside the usual ones. */
  readonly discoveryPaths?: readonly string[] | undefined;
}

/** Everything that a cluster needs for these deployments, in the order in which it is to be applied. What an addition has, too, is taken from there. */
export async function assembleManifests(
  deployments: readonly Deployment[],
  { namespace, image, additions = [], discoveryPaths: folders = [] }: ManifestOptions,
): Promise<readonly KubeObject[]> {
  const renames: Renames = { namespace: { [productNamespace]: namespace }, image: { [productImage]: image } };
  const contracts = await readManifests(contractsFolder, [...new Set(deployments.flatMap((deployment) => deployment.contracts))]);
  const always = await Promise.all(deployments.map(readDeployment));
  const asked = await Promise.all(
    additions.map(async ({ file, namespaces = {} }) => {
      const objects = await readManifests(folderWith(file, deployments), [file]);
      return objects.map((object) => renamed(object, { ...renames, namespace: { ...renames['namespace'], ...namespaces } }));
    }),
  );
  const additional = new Map(asked.flat().map((object) => [identityOf(object), object]));
  const own = always.flat().map((object) => {
    const basic = renamed(object, renames);
    const replacement = additional.get(identityOf(basic));
    additional.delete(identityOf(basic));
    return replacement ?? basic;
  });
  return [namespaceObject(namespace), ...contracts, ...own.map((object) => measuring(object, folders)), ...additional.values()];
}

/** The agents' workload, told of further folders. A setting replaces its default, so the usual ones are named again. */
function measuring(object: KubeObject, folders: readonly string[]): KubeObject {
  if (folders.length === 0 || object.kind !== 'DaemonSet' || object.metadata?.name !== discoveryName) return object;
  const setting = `--discovery-paths=${[...new Set([...discoveryPaths, ...folders])].join(',')}`;
  const revive = (key: string, value: unknown): unknown =>
    key === 'args' && Array.isArray(value) ? [...(value as readonly unknown[]), setting] : value;
  return JSON.parse(JSON.stringify(object), revive) as KubeObject;
}

const identityOf = ({ apiVersion, kind, metadata }: KubeObject): string =>
  [apiVersion, kind, metadata?.namespace, metadata?.name].join(' ');

/** The same for all roles, so that they can be applied one after another: agents read what only root may read. All others confine themselves. */
function namespaceObject(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } } };
}

function folderWith(file: string, deployments: readonly Deployment[]): URL {
  const found = deployments.find(({ optional = [] }) => optional.includes(file));
  if (found !== undefined) return found.folder;
  const known = deployments.flatMap(({ optional = [] }) => optional);
  const wayOut = known.length === 0 ? 'these roles have none' : `there are ${known.join(', ')}`;
  throw new StatusError('invalid_argument', `no optional part of these roles is called ${file}: ${wayOut}`);
}

/** field -> value that the manifests have -> the one that is wanted. Other values of these fields mean something else and stay. */
type Renames = Readonly<Record<string, Readonly<Record<string, string>>>>;

function renamed(object: Manifest, renames: Renames): KubeObject {
  const rename = (key: string, value: unknown): unknown => {
    if (typeof value !== 'string') return value;
    return key === 'externalName' ? inNamespace(value, renames['namespace'] ?? {}) : (renames[key]?.[value] ?? value);
  };
  return JSON.parse(JSON.stringify(object), rename) as KubeObject;
}

/** The name of a Service in DNS, with the namespace that is wanted: `service.namespace.svc.cluster.local`. */
function inNamespace(name: string, namespaces: Readonly<Record<string, string>>): string {
  const [service, namespace = '', ...rest] = name.split('.');
  return [service, namespaces[namespace] ?? namespace, ...rest].join('.');
}
