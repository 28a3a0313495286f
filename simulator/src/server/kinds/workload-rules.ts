import { matchesSelector } from '../../cluster/pods/label-selector.ts';
import { type Cause, problems } from '../../schema/api-status.ts';
import { type Json, type JsonObject, jsonEqual, listAt, metaOf, numberAt, objectAt, withMeta } from '../object/api-object.ts';
import { filled, podSpecProblems, templateDefaults } from './pod-rules.ts';

const template = ['spec', 'template'] as const;

function specDefaults(object: JsonObject, defaults: JsonObject): JsonObject {
  const withSpec = { ...object, spec: filled(objectAt(object, 'spec'), defaults) };
  return templateDefaults(withSpec, template);
}

export function deploymentDefaults(object: JsonObject): JsonObject {
  const result = specDefaults(object, {
    replicas: 1,
    strategy: { type: 'RollingUpdate' },
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
  });
  const strategy = filled(objectAt(result, 'spec', 'strategy'), { type: 'RollingUpdate' });
  const rolling = filled(objectAt(strategy, 'rollingUpdate'), { maxUnavailable: '25%', maxSurge: '25%' });
  const full = strategy['type'] === 'RollingUpdate' ? { ...strategy, rollingUpdate: rolling } : strategy;
  return { ...result, spec: { ...objectAt(result, 'spec'), strategy: full } };
}

/** ReplicaSets take their selector and labels from the template where they have none. */
export function replicaSetDefaults(object: JsonObject): JsonObject {
  const result = specDefaults(object, { replicas: 1 });
  const labels = objectAt(result, ...template, 'metadata', 'labels');
  return metaOf(result).labels === undefined && Object.keys(labels).length > 0 ? withMeta(result, { labels }) : result;
}

export function statefulSetDefaults(object: JsonObject): JsonObject {
  const result = specDefaults(object, {
    replicas: 1,
    podManagementPolicy: 'OrderedReady',
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
    revisionHistoryLimit: 10,
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
  });
  const claims = listAt(result, 'spec', 'volumeClaimTemplates').map((claim) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    ...claim,
    spec: filled(objectAt(claim, 'spec'), { volumeMode: 'Filesystem' }),
    status: { phase: 'Pending' },
  }));
  return claims.length === 0 ? result : { ...result, spec: { ...objectAt(result, 'spec'), volumeClaimTemplates: claims } };
}

export function daemonSetDefaults(object: JsonObject): JsonObject {
  return specDefaults(object, {
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
    revisionHistoryLimit: 10,
  });
}

/** What is wrong with a kind that has a selector and a template of pods. */
export function workloadProblems(object: JsonObject): Cause[] {
  const spec = objectAt(object, 'spec');
  const causes: Cause[] = [];
  for (const field of ['replicas', 'minReadySeconds', 'revisionHistoryLimit']) {
    const value = numberAt(spec, field);
    if (value !== undefined && value < 0) causes.push(problems.invalid(`spec.${field}`, value, 'must be greater than or equal to 0'));
  }
  const labels = objectAt(object, ...template, 'metadata', 'labels') as Readonly<Record<string, string>>;
  if (!('selector' in spec)) causes.push(problems.required('spec.selector'));
  else if (Object.keys(objectAt(spec, 'selector')).length === 0)
    causes.push(problems.invalid('spec.selector', {}, 'empty selector is invalid for this kind'));
  else if (!matchesSelector(objectAt(spec, 'selector'), labels))
    causes.push(problems.invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`'));
  return [...causes, ...podSpecProblems(objectAt(object, ...template, 'spec'), 'spec.template.spec')];
}

/** Refuses a change of the fields, each named by itself. */
export function immutable(...fields: readonly string[]): (before: JsonObject, after: JsonObject) => Cause[] {
  return (before, after) =>
    fields.flatMap((field) => {
      const path = field.split('.');
      const [old, now] = [valueAt(before, path), valueAt(after, path)];
      return jsonEqual(old, now) ? [] : [problems.invalid(field, now ?? null, 'field is immutable')];
    });
}

const valueAt = (object: JsonObject, path: readonly string[]): Json | undefined =>
  objectAt(object, ...path.slice(0, -1))[path.at(-1) ?? ''];
