import { clone, create, equals } from '@bufbuild/protobuf';
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt';
import {
  type ClusterNodeSet,
  ClusterNodeSetSchema,
  type ClusterSpec,
  ClusterSpecSchema,
  type ClusterTemplate,
} from '@quartermaster/api/private';
import type { FieldViolation } from '@quartermaster/kernel';
import { keyText } from '@quartermaster/objects';
import { preparedParameters } from './parameter-rules.ts';

/** The spec that a new cluster gets: what the caller gave, checked against its template and completed from it. */
export function createdSpec(
  spec: ClusterSpec,
  template: ClusterTemplate,
): { readonly spec: ClusterSpec; readonly violations: FieldViolation[] } {
  const result = clone(ClusterSpecSchema, spec);
  const { parameters, violations } = preparedParameters('spec.template_parameters', spec.templateParameters, template.parameters);
  result.templateParameters = parameters;
  result.nodeSets = {};
  for (const [key, { hostClass, size }] of Object.entries(template.nodeSets)) {
    result.nodeSets[key] = create(ClusterNodeSetSchema, { hostClass, size: spec.nodeSets[key]?.size ?? size });
  }
  for (const [key, set] of Object.entries(spec.nodeSets)) violations.push(...againstTemplate(key, set, template));
  if (Object.keys(result.nodeSets).length === 0) {
    violations.push({ field: 'spec.template', description: `must be a template with node sets, and "${template.id}" has none` });
  }
  return { spec: result, violations };
}

/** The spec after an update. What makes a cluster what it is stays: the template, its parameters, the classes of its node sets. */
export function updatedSpec(
  before: ClusterSpec | undefined,
  after: ClusterSpec | undefined,
  template: ClusterTemplate | undefined,
): { readonly spec: ClusterSpec | undefined; readonly violations: FieldViolation[] } {
  if (before === undefined || after === undefined) return { spec: after, violations: [] };
  const spec = clone(ClusterSpecSchema, after);
  const violations = parameterChanges(before.templateParameters, after.templateParameters);
  if (before.template !== after.template) {
    violations.push({
      field: 'spec.template',
      description: `cannot be changed, and is "${before.template}"; create another cluster to use another template`,
    });
  }
  if (Object.keys(after.nodeSets).length === 0) {
    violations.push({ field: 'spec.node_sets', description: 'must keep at least one node set; delete the cluster to release all of them' });
  }
  for (const [key, set] of Object.entries(spec.nodeSets)) {
    const old = before.nodeSets[key];
    if (old === undefined) {
      violations.push(...(template === undefined ? [] : againstTemplate(key, set, template)));
      set.hostClass ||= template?.nodeSets[key]?.hostClass ?? '';
      continue;
    }
    set.hostClass ||= old.hostClass;
    if (set.hostClass === old.hostClass) continue;
    const description = `cannot be changed, and is "${old.hostClass}"; hosts of another class need another node set`;
    violations.push({ field: `spec.node_sets.${keyText(key)}.host_class`, description });
  }
  return { spec, violations };
}

function againstTemplate(key: string, set: ClusterNodeSet, template: ClusterTemplate): FieldViolation[] {
  const field = `spec.node_sets.${keyText(key)}`;
  const wanted = template.nodeSets[key];
  if (wanted === undefined) {
    const names = Object.keys(template.nodeSets).toSorted().join(', ');
    return [{ field, description: `is not a node set of template "${template.id}"${names === '' ? '' : `; it has ${names}`}` }];
  }
  if (set.hostClass === '' || set.hostClass === wanted.hostClass) return [];
  return [{ field: `${field}.host_class`, description: `must be empty or "${wanted.hostClass}", as in template "${template.id}"` }];
}

function parameterChanges(before: Readonly<Record<string, Any>>, after: Readonly<Record<string, Any>>): FieldViolation[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => {
    const [old, now] = [before[name], after[name]];
    if (old !== undefined && now !== undefined && equals(AnySchema, old, now)) return [];
    const field = `spec.template_parameters.${keyText(name)}`;
    return [{ field, description: 'cannot be changed after the cluster was created; send it as it is, or leave it out of the mask' }];
  });
}
