import { type Cause, problems } from '../../schema/api-status.ts';
import { structuralProblems } from '../../schema/index.ts';
import { type JsonObject, listAt, metaOf, objectAt, textAt } from '../object/api-object.ts';
import { isDnsLabel, isDnsSubdomain } from './metadata-rules.ts';
import { filled } from './pod-rules.ts';

/** What the server fills into a CustomResourceDefinition. */
export function definitionDefaults(object: JsonObject): JsonObject {
  const spec = objectAt(object, 'spec');
  const kind = textAt(spec, 'names', 'kind');
  const names = filled(objectAt(spec, 'names'), { singular: kind.toLowerCase(), listKind: `${kind}List` });
  return { ...object, spec: { conversion: { strategy: 'None' }, ...spec, names } };
}

export function definitionProblems(object: JsonObject): Cause[] {
  const spec = objectAt(object, 'spec');
  const [group, plural, kind, scope] = [
    textAt(spec, 'group'),
    textAt(spec, 'names', 'plural'),
    textAt(spec, 'names', 'kind'),
    textAt(spec, 'scope'),
  ];
  const versions = listAt(spec, 'versions');
  const causes: Cause[] = [];
  const { name = '' } = metaOf(object);
  if (group === '') causes.push(problems.required('spec.group'));
  else if (!isDnsSubdomain(group) || !group.includes('.'))
    causes.push(problems.invalid('spec.group', group, 'should be a domain with at least one dot'));
  if (plural === '') causes.push(problems.required('spec.names.plural'));
  else if (!isDnsLabel(plural)) causes.push(problems.invalid('spec.names.plural', plural, 'must be a lowercase RFC 1123 label'));
  if (kind === '') causes.push(problems.required('spec.names.kind'));
  else if (!isDnsLabel(kind.toLowerCase()))
    causes.push(problems.invalid('spec.names.kind', kind, 'may have mixed case, but must otherwise be a label'));
  if (name !== `${plural}.${group}`) causes.push(problems.invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group'));
  if (!['Namespaced', 'Cluster'].includes(scope)) causes.push(problems.unsupported('spec.scope', scope, ['Cluster', 'Namespaced']));
  if (versions.filter(({ storage }) => storage === true).length !== 1)
    causes.push(problems.invalid('spec.versions', versions.length, 'must have exactly one version marked as storage version'));
  for (const [index, version] of versions.entries()) {
    const path = `spec.versions[${index}]`;
    if (!isDnsLabel(textAt(version, 'name'))) causes.push(problems.invalid(`${path}.name`, textAt(version, 'name'), 'must be a label'));
    causes.push(
      ...structuralProblems(
        version['schema'] === undefined ? undefined : objectAt(version, 'schema')['openAPIV3Schema'],
        `${path}.schema.openAPIV3Schema`,
      ),
    );
  }
  return causes;
}
