import type { BuiltInData, KindInfo, SubresourceInfo } from '../src/schema/built-in-data.ts';
import { compactTypes, type OpenApiSchema, shortName } from './compact-openapi.ts';

/** Reads one path of an API server as JSON. */
export type ReadPath = (path: string) => Promise<unknown>;

// group/version -> the kinds to take from it
const wanted: Readonly<Record<string, readonly string[]>> = {
  v1: [
    ...['Binding', 'ConfigMap', 'Event', 'Namespace', 'Node', 'PersistentVolume', 'PersistentVolumeClaim', 'Pod', 'PodTemplate'],
    ...['ResourceQuota', 'Secret', 'Service', 'ServiceAccount'],
  ],
  'admissionregistration.k8s.io/v1': ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'],
  'apiextensions.k8s.io/v1': ['CustomResourceDefinition'],
  'apps/v1': ['ControllerRevision', 'DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'],
  'authentication.k8s.io/v1': ['SelfSubjectReview', 'TokenRequest', 'TokenReview'],
  'authorization.k8s.io/v1': ['SubjectAccessReview'],
  'autoscaling/v1': ['Scale'],
  'batch/v1': ['Job'],
  'coordination.k8s.io/v1': ['Lease'],
  'discovery.k8s.io/v1': ['EndpointSlice'],
  'events.k8s.io/v1': ['Event'],
  'networking.k8s.io/v1': ['Ingress', 'IngressClass', 'NetworkPolicy', 'ServiceCIDR'],
  'node.k8s.io/v1': ['RuntimeClass'],
  'policy/v1': ['Eviction', 'PodDisruptionBudget'],
  'rbac.authorization.k8s.io/v1': ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
  'resource.k8s.io/v1': ['DeviceClass', 'ResourceClaim', 'ResourceClaimTemplate', 'ResourceSlice'],
  'storage.k8s.io/v1': ['CSIStorageCapacity', 'StorageClass'],
};

interface ResourceList {
  readonly resources: readonly {
    readonly name: string;
    readonly singularName: string;
    readonly namespaced: boolean;
    readonly kind: string;
    readonly group?: string;
    readonly version?: string;
    readonly verbs: readonly string[];
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  }[];
}

/** What a real API server says about the kinds that the simulator serves. */
export async function extractBuiltIn(read: ReadPath): Promise<BuiltInData> {
  const { gitVersion } = (await read('/version')) as { gitVersion: string };
  const lists = new Map<string, ResourceList>(); // group/version -> its resources
  // A kind that is served as a subresource is described with its parent: a TokenRequest with the service accounts.
  const schemas: Record<string, OpenApiSchema> = {};
  for (const groupVersion of Object.keys(wanted)) {
    const path = groupVersion.includes('/') ? `apis/${groupVersion}` : `api/${groupVersion}`;
    const document = (await read(`/openapi/v3/${path}`)) as { components: { schemas: Record<string, OpenApiSchema> } };
    Object.assign(schemas, document.components.schemas);
    lists.set(groupVersion, (await read(`/${path}`)) as ResourceList);
  }
  const kinds = Object.entries(wanted).flatMap(([groupVersion, names]) => {
    const [version = '', group = ''] = groupVersion.split('/').reverse();
    return names.map((kind) => describeKind({ group, version, kind }, lists.get(groupVersion)?.resources ?? [], schemas));
  });
  const types = compactTypes(
    schemas,
    kinds.map(({ type }) => type),
  );
  return { server: gitVersion, kinds: kinds.map((kind) => ({ ...kind, type: shortName(kind.type) })), types };
}

function describeKind(
  { group, version, kind }: { readonly group: string; readonly version: string; readonly kind: string },
  resources: ResourceList['resources'],
  schemas: Readonly<Record<string, OpenApiSchema>>,
): KindInfo & { readonly type: string } {
  const type = Object.entries(schemas).find(([, schema]) =>
    schema['x-kubernetes-group-version-kind']?.some((each) => each.group === group && each.version === version && each.kind === kind),
  )?.[0];
  if (type === undefined) throw new Error(`${group}/${version} ${kind}: the server's OpenAPI has no such kind; take it off the list`);
  const resource = resources.find((each) => each.kind === kind && !each.name.includes('/'));
  const plural = resource?.name ?? '';
  const subresources = resources.flatMap((each): SubresourceInfo[] => {
    if (plural === '' || !each.name.startsWith(`${plural}/`)) return [];
    const name = each.name.slice(plural.length + 1);
    return [{ name, group: each.group ?? group, version: each.version ?? version, kind: each.kind, verbs: each.verbs }];
  });
  return {
    group,
    version,
    kind,
    plural,
    singular: resource?.singularName ?? '',
    namespaced: resource?.namespaced ?? true,
    verbs: resource?.verbs ?? [],
    shortNames: resource?.shortNames ?? [],
    categories: resource?.categories ?? [],
    subresources,
    type,
  };
}

/** The file's text: one kind and one type per line, so that a difference between two versions of Kubernetes reads well. */
export function builtInText({ server, kinds, types }: BuiltInData): string {
  const kindLines = kinds.map((kind) => `    ${JSON.stringify(kind)}`);
  const typeLines = Object.entries(types).map(([name, type]) => `    ${JSON.stringify(name)}: ${JSON.stringify(type)}`);
  const sections = [
    `"server": ${JSON.stringify(server)}`,
    `"kinds": [\n${kindLines.join(',\n')}\n  ]`,
    `"types": {\n${typeLines.join(',\n')}\n  }`,
  ];
  return `{\n  ${sections.join(',\n  ')}\n}\n`;
}
