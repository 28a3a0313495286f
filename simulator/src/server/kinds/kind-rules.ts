import { type Cause, problems } from '../../schema/api-status.ts';
import { type JsonObject, jsonEqual, metaOf, objectAt, textAt, withFields, withMeta } from '../object/api-object.ts';
import { definitionDefaults, definitionProblems } from './definition-rules.ts';
import { gatedNodeProblems, newPodStatus } from './gated-pod-rules.ts';
import { admitPod, filled, podSpecDefaults, podSpecProblems, podUpdateProblems } from './pod-rules.ts';
import { policyBindingProblems, policyDefaults, policyProblems } from './policy-rules.ts';
import { serviceDefaults, serviceProblems, serviceTransition, serviceUpdateProblems } from './service-rules.ts';
import {
  daemonSetDefaults,
  deploymentDefaults,
  immutable,
  replicaSetDefaults,
  statefulSetDefaults,
  workloadProblems,
} from './workload-rules.ts';

/** What the server knows of a built-in kind beyond its schema. Everything is a pure function of objects. */
export interface KindRules {
  /** Fills in what an object lacks, at every write. */
  readonly defaults?: ((object: JsonObject) => JsonObject) | undefined;
  /** What a new object gets beyond that: admission and the first status. */
  readonly created?: ((object: JsonObject) => JsonObject) | undefined;
  /** What a changed object keeps of its former state, or loses with it, beyond what was written. */
  readonly changed?: ((before: JsonObject, after: JsonObject) => JsonObject) | undefined;
  readonly problems?: ((object: JsonObject) => Cause[]) | undefined;
  readonly updateProblems?: ((before: JsonObject, after: JsonObject) => Cause[]) | undefined;
  /** A new object keeps the status it comes with: kubelets register so. */
  readonly keepsStatus?: boolean | undefined;
  /** Counts changes of its spec in metadata.generation. */
  readonly generation?: boolean | undefined;
  /** A replace must name the resourceVersion that it was made from. */
  readonly needsVersion?: boolean | undefined;
}

const withSpec = (object: JsonObject, defaults: JsonObject): JsonObject => ({
  ...object,
  spec: filled(objectAt(object, 'spec'), defaults),
});

/** A ConfigMap or Secret that is marked immutable keeps its data and its mark. */
function sealed(before: JsonObject, after: JsonObject): Cause[] {
  if (before['immutable'] !== true) return [];
  const why = 'field is immutable when `immutable` is set';
  return ['immutable', 'data', 'binaryData']
    .filter((field) => !jsonEqual(before[field], after[field]))
    .map((field) => problems.forbidden(field, why));
}

/** stringData is a way to write data, not to store it. */
function secretDefaults(object: JsonObject): JsonObject {
  const texts = Object.entries(objectAt(object, 'stringData')) as [string, string][];
  const encoded = Object.fromEntries(texts.map(([key, value]) => [key, Buffer.from(value).toString('base64')]));
  const data = { ...objectAt(object, 'data'), ...encoded };
  const merged = withFields(object, { stringData: undefined, ...(texts.length === 0 ? {} : { data }) });
  return filled(merged, { type: 'Opaque' });
}

const namespaceLabel = 'kubernetes.io/metadata.name';

const rules: Readonly<Record<string, KindRules>> = {
  '/configmaps': { updateProblems: sealed },
  '/secrets': {
    defaults: secretDefaults,
    updateProblems: (before, after) => [...sealed(before, after), ...immutable('type')(before, after)],
  },
  '/namespaces': {
    defaults: (object) => {
      const { name = '', labels = {} } = metaOf(object);
      return withMeta(object, { labels: { ...labels, [namespaceLabel]: name } });
    },
    created: (object) => ({
      ...object,
      spec: filled(objectAt(object, 'spec'), { finalizers: ['kubernetes'] }),
      status: { phase: 'Active' },
    }),
  },
  '/pods': {
    generation: true,
    defaults: (object) => ({ ...object, spec: podSpecDefaults(objectAt(object, 'spec')) }),
    created: (object) => ({ ...admitPod(object), status: newPodStatus(object) }),
    problems: (object) => [...podSpecProblems(objectAt(object, 'spec'), 'spec'), ...gatedNodeProblems(object)],
    updateProblems: podUpdateProblems,
  },
  '/services': {
    defaults: serviceDefaults,
    changed: serviceTransition,
    created: (object) => ({ ...object, status: { loadBalancer: {} } }),
    problems: serviceProblems,
    updateProblems: serviceUpdateProblems,
  },
  '/persistentvolumeclaims': {
    defaults: (object) => withSpec(object, { volumeMode: 'Filesystem' }),
    created: (object) => ({ ...object, status: { phase: 'Pending' } }),
    updateProblems: immutable('spec.accessModes'),
  },
  '/persistentvolumes': {
    defaults: (object) => withSpec(object, { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' }),
    created: (object) => ({ ...object, status: { phase: 'Pending' } }),
  },
  '/nodes': { keepsStatus: true, created: (object) => ({ ...object, spec: objectAt(object, 'spec') }) },
  'apps/deployments': {
    generation: true,
    defaults: deploymentDefaults,
    problems: workloadProblems,
    updateProblems: immutable('spec.selector'),
  },
  'apps/replicasets': {
    generation: true,
    defaults: replicaSetDefaults,
    created: (object) => ({ ...object, status: { replicas: 0 } }),
    problems: workloadProblems,
    updateProblems: immutable('spec.selector'),
  },
  'apps/statefulsets': {
    generation: true,
    defaults: statefulSetDefaults,
    created: (object) => ({ ...object, status: { replicas: 0, availableReplicas: 0 } }),
    problems: workloadProblems,
    updateProblems: immutable('spec.selector', 'spec.serviceName', 'spec.podManagementPolicy', 'spec.volumeClaimTemplates'),
  },
  'apps/daemonsets': {
    generation: true,
    defaults: daemonSetDefaults,
    created: (object) => ({
      ...object,
      status: { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 },
    }),
    problems: workloadProblems,
    updateProblems: immutable('spec.selector'),
  },
  'batch/jobs': { problems: () => [problems.forbidden('spec', 'the simulator has no Job controller: use a Deployment or a Pod')] },
  'networking.k8s.io/ingresses': { generation: true, created: (object) => ({ ...object, status: { loadBalancer: {} } }) },
  'networking.k8s.io/networkpolicies': {
    generation: true,
    defaults: (object) => withSpec(object, { policyTypes: 'egress' in objectAt(object, 'spec') ? ['Ingress', 'Egress'] : ['Ingress'] }),
  },
  'policy/poddisruptionbudgets': { generation: true },
  'admissionregistration.k8s.io/validatingadmissionpolicies': {
    generation: true,
    defaults: policyDefaults('matchConstraints', { failurePolicy: 'Fail' }),
    problems: policyProblems,
  },
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': {
    generation: true,
    defaults: policyDefaults('matchResources'),
    problems: policyBindingProblems,
  },
  'discovery.k8s.io/endpointslices': { generation: true },
  'resource.k8s.io/resourceslices': { generation: true },
  'storage.k8s.io/storageclasses': {
    defaults: (object) => filled(object, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
    problems: (object) => (textAt(object, 'provisioner') === '' ? [problems.required('provisioner')] : []),
    updateProblems: immutable('provisioner', 'parameters', 'reclaimPolicy', 'volumeBindingMode'),
  },
  'rbac.authorization.k8s.io/rolebindings': { updateProblems: immutable('roleRef') },
  'rbac.authorization.k8s.io/clusterrolebindings': { updateProblems: immutable('roleRef') },
  'coordination.k8s.io/leases': { needsVersion: true },
  'apiextensions.k8s.io/customresourcedefinitions': {
    generation: true,
    needsVersion: true,
    defaults: definitionDefaults,
    problems: definitionProblems,
    updateProblems: immutable('spec.group', 'spec.scope', 'spec.names.kind', 'spec.names.plural'),
  },
};

const custom: KindRules = { generation: true, needsVersion: true };

export const rulesOf = (kind: { readonly storageKey: string; readonly custom?: unknown }): KindRules =>
  kind.custom === undefined ? (rules[kind.storageKey] ?? {}) : custom;
