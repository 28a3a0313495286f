import { clone, create, isMessage } from '@bufbuild/protobuf';
import {
  type Cluster,
  ClusterSchema,
  type ClusterSpec,
  type ClusterStatus,
  type ClusterTemplate,
  ClusterTemplateSchema,
} from '@quartermaster/api/private';
import type { FieldViolation } from '@quartermaster/kernel';
import {
  conditionViolations,
  keyText,
  kindRules,
  type Prepared,
  type ReferencedByField,
  unlessBetween,
  unlessMatches,
} from '@quartermaster/objects';
import { webUrlViolations } from './addresses.ts';
import { createdSpec, updatedSpec } from './cluster-spec.ts';
import { assignedByMethod } from './host-rules.ts';
import { reservedHub } from './hub-of-objects.ts';
import { safeKubeconfigViolations } from './safe-kubeconfig.ts';
import { sizedSetReferences, sizedSetViolations } from './sized-set-rules.ts';

const aliasRule = 'must be a DNS label: at most 63 lower-case letters, digits and "-", not beginning or ending with "-"';

export const clusterRules = kindRules(ClusterSchema, {
  validate: ({ spec, status }, before) => [
    ...specViolations(spec),
    ...(status === undefined ? [] : statusViolations(status, before?.status)),
  ],
  references(cluster, before) {
    const [{ template = '', nodeSets = {} } = {}, old] = [cluster.spec, before?.spec];
    const isTemplateNeeded = template !== old?.template || Object.keys(nodeSets).some((key) => old.nodeSets[key] === undefined);
    const hub = cluster.status?.hub ?? '';
    return [
      ...(template !== '' && isTemplateNeeded
        ? [{ field: 'spec.template', kind: 'cluster_templates', value: template, isNameAllowed: true }]
        : []),
      ...sizedSetReferences('spec.node_sets', nodeSets, old?.nodeSets),
      ...(hub === '' || hub === before?.status?.hub ? [] : [{ field: 'status.hub', kind: 'hubs', value: hub, isNameAllowed: false }]),
    ];
  },
  onCreate(cluster, referenced) {
    const template = templateOf(referenced);
    if (template === undefined || cluster.spec === undefined) return { object: cluster, violations: [] };
    return withSpec(cluster, createdSpec(cluster.spec, template));
  },
  onUpdate(before, after, referenced) {
    const spec = updatedSpec(before.spec, after.spec, templateOf(referenced));
    const { object, violations } = withSpec(after, spec);
    if (before.status !== undefined) object.status = withHosts(before.status, object.status);
    return { object, violations };
  },
  outputOnly: [
    {
      pattern: 'status.node_sets.*.hosts',
      wayOut: assignedByMethod,
    },
  ],
  reserved: [reservedHub],
  publicOutputOnly: [{ pattern: 'status', wayOut: 'the status is written by the service' }],
  lateFields: ['status.alias', 'status.port', 'status.hub'],
});

function specViolations(spec: ClusterSpec | undefined): FieldViolation[] {
  if (spec === undefined || spec.template === '') {
    return [{ field: 'spec.template', description: 'must be set, to the id or the name of a cluster template' }];
  }
  const hosts = Object.entries(spec.nodeSets).filter(([, set]) => set.hosts.length > 0);
  return [
    ...sizedSetViolations('spec.node_sets', spec.nodeSets, { isClassNeeded: false }),
    ...hosts.map(([key]) => ({
      field: `spec.node_sets.${keyText(key)}.hosts`,
      description: 'must be empty: which hosts a node set has is shown in "status", and "size" says how many it should have',
    })),
  ];
}

function statusViolations(status: ClusterStatus, before: ClusterStatus | undefined): FieldViolation[] {
  return [
    ...conditionViolations('status.conditions', status.conditions, before?.conditions),
    ...unlessMatches('status.alias', status.alias, /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, aliasRule),
    ...unlessBetween('status.port', status.port, 0, 65_535),
    ...webUrlViolations('status.api_url', status.apiUrl),
    ...webUrlViolations('status.console_url', status.consoleUrl),
    ...safeKubeconfigViolations('status.kubeconfig', status.kubeconfig),
  ];
}

/** Takes the kubeconfig out of a cluster that is handed out where it breaks rules that are newer than it. In place. */
export function withholdFromCluster({ status }: Cluster): void {
  if (status !== undefined && safeKubeconfigViolations('status.kubeconfig', status.kubeconfig).length > 0)
    status.kubeconfig = new Uint8Array();
}

function templateOf(referenced: ReferencedByField): ClusterTemplate | undefined {
  const object = referenced.get('spec.template')?.object;
  return object !== undefined && isMessage(object, ClusterTemplateSchema) ? object : undefined;
}

interface PreparedSpec {
  readonly spec: ClusterSpec | undefined;
  readonly violations: readonly FieldViolation[];
}

function withSpec(cluster: Cluster, { spec, violations }: PreparedSpec): Prepared<typeof ClusterSchema> {
  const object = clone(ClusterSchema, cluster);
  if (spec !== undefined) object.spec = spec;
  return { object, violations };
}

/** A node set that has hosts stays in the status until they are released, whatever a writer of the status leaves out. */
function withHosts(before: ClusterStatus, after: ClusterStatus | undefined): ClusterStatus | undefined {
  const kept = Object.entries(before.nodeSets).filter(([key, set]) => set.hosts.length > 0 && after?.nodeSets[key] === undefined);
  if (kept.length === 0) return after;
  const status = after ?? create(ClusterSchema, { status: {} }).status;
  if (status !== undefined) for (const [key, set] of kept) status.nodeSets[key] = set;
  return status;
}
