import { type Cause, problems } from '../../schema/api-status.ts';
import { type Json, type JsonObject, jsonEqual, listAt, objectAt, setAt, textAt, withFields } from '../object/api-object.ts';
import { gateProblems, nodeFieldProblems, placementProblems } from './gated-pod-rules.ts';
import { isDnsLabel } from './metadata-rules.ts';

/** The object with fields that it lacks. */
export const filled = (object: JsonObject, defaults: JsonObject): JsonObject => ({ ...defaults, ...object });

function probeDefaults(probe: JsonObject): JsonObject {
  const withScheme = 'httpGet' in probe ? { ...probe, httpGet: filled(objectAt(probe, 'httpGet'), { path: '/', scheme: 'HTTP' }) } : probe;
  return filled(withScheme, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });
}

function containerDefaults(container: JsonObject): JsonObject {
  const image = textAt(container, 'image');
  const tag = /:([^/:@]+)(@.*)?$/.exec(image)?.[1];
  const result: Record<string, Json> = {
    resources: {},
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: image !== '' && !image.includes('@') && (tag === undefined || tag === 'latest') ? 'Always' : 'IfNotPresent',
    ...container,
  };
  if (Array.isArray(container['ports'])) result['ports'] = listAt(container, 'ports').map((port) => filled(port, { protocol: 'TCP' }));
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    if (probe in container) result[probe] = probeDefaults(objectAt(container, probe));
  }
  const limits = objectAt(container, 'resources', 'limits');
  if (Object.keys(limits).length > 0) {
    const resources = objectAt(container, 'resources');
    result['resources'] = { ...resources, requests: { ...limits, ...objectAt(resources, 'requests') } };
  }
  return result;
}

function volumeDefaults(volume: JsonObject): JsonObject {
  const mode = { defaultMode: 420 };
  for (const source of ['configMap', 'secret', 'projected', 'downwardAPI']) {
    if (source in volume) return { ...volume, [source]: filled(objectAt(volume, source), mode) };
  }
  if ('hostPath' in volume) return { ...volume, hostPath: filled(objectAt(volume, 'hostPath'), { type: '' }) };
  return Object.keys(volume).length === 1 ? { ...volume, emptyDir: {} } : volume;
}

/** What the server fills into a pod's spec, also inside of templates. */
export function podSpecDefaults(spec: JsonObject): JsonObject {
  const result: Record<string, Json> = {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
    ...spec,
  };
  const account = textAt(spec, 'serviceAccountName') || textAt(spec, 'serviceAccount');
  if (account !== '') Object.assign(result, { serviceAccountName: account, serviceAccount: account });
  for (const field of ['containers', 'initContainers', 'ephemeralContainers']) {
    if (Array.isArray(spec[field])) result[field] = listAt(spec, field).map(containerDefaults);
  }
  if (Array.isArray(spec['volumes'])) result['volumes'] = listAt(spec, 'volumes').map(volumeDefaults);
  return result;
}

export function templateDefaults(object: JsonObject, path: readonly string[]): JsonObject {
  const template = objectAt(object, ...path);
  if (!('spec' in template)) return object;
  return setAt(object, path, { ...template, spec: podSpecDefaults(objectAt(template, 'spec')) });
}

const outage = (key: string): JsonObject => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 });

/** What admission adds to a new pod: its account and how long it endures a lost node. */
export function admitPod(pod: JsonObject): JsonObject {
  const spec = objectAt(pod, 'spec');
  const tolerations = listAt(spec, 'tolerations');
  const missing = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].filter(
    (key) => !tolerations.some((each) => (each['key'] ?? '') === '' || each['key'] === key),
  );
  const account = textAt(spec, 'serviceAccountName') || 'default';
  return {
    ...pod,
    spec: {
      ...filled(spec, { enableServiceLinks: true, preemptionPolicy: 'PreemptLowerPriority', priority: 0 }),
      serviceAccountName: account,
      serviceAccount: account,
      tolerations: [...tolerations, ...missing.map(outage)],
    },
  };
}

/** What is wrong with a pod's spec that stands at `path`. */
export function podSpecProblems(spec: JsonObject, path: string): Cause[] {
  const containers = listAt(spec, 'containers');
  const causes: Cause[] = containers.length === 0 ? [problems.required(`${path}.containers`)] : [];
  const names = new Set<string>();
  for (const field of ['containers', 'initContainers']) {
    for (const [index, container] of listAt(spec, field).entries()) {
      const where = `${path}.${field}[${index}]`;
      const name = textAt(container, 'name');
      if (name === '') causes.push(problems.required(`${where}.name`));
      else if (!isDnsLabel(name)) causes.push(problems.invalid(`${where}.name`, name, 'a lowercase RFC 1123 label is needed'));
      else if (names.has(name))
        causes.push({ reason: 'FieldValueDuplicate', message: `Duplicate value: "${name}"`, field: `${where}.name` });
      names.add(name);
      if (textAt(container, 'image') === '') causes.push(problems.required(`${where}.image`));
    }
  }
  const policy = textAt(spec, 'restartPolicy');
  const policies = ['Always', 'OnFailure', 'Never'];
  if (policy !== '' && !policies.includes(policy)) causes.push(problems.unsupported(`${path}.restartPolicy`, policy, policies));
  return [...causes, ...nodeFieldProblems(spec, path)];
}

const frozenSpec =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** What an update may not change of a pod. */
export function podUpdateProblems(before: JsonObject, after: JsonObject): Cause[] {
  const comparable = (spec: JsonObject): JsonObject => {
    const strip = (field: string) => listAt(spec, field).map((container) => withFields(container, { image: undefined }));
    return withFields(spec, {
      activeDeadlineSeconds: undefined,
      terminationGracePeriodSeconds: undefined,
      tolerations: undefined,
      schedulingGates: undefined,
      containers: strip('containers'),
      initContainers: strip('initContainers'),
    });
  };
  const { causes, spec } = placementProblems(before, after);
  const isFrozen = !jsonEqual(comparable(objectAt(before, 'spec')), comparable(spec));
  return [...gateProblems(before, after), ...causes, ...(isFrozen ? [problems.forbidden('spec', frozenSpec)] : [])];
}
