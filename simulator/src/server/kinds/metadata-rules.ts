import { type Cause, problems } from '../../schema/api-status.ts';
import { type JsonObject, metaOf } from '../object/api-object.ts';
import { isLabelKey, isLabelValue } from '../object/selectors.ts';
import type { ServedKind } from './served-kind.ts';

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com')";
const labelRule =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name')";

export const isDnsLabel = (text: string): boolean => text.length <= 63 && label.test(text);
export const isDnsSubdomain = (text: string): boolean => text.length <= 253 && subdomain.test(text);

/** What is wrong with a name, or undefined. Kinds of RBAC take any name that fits into a path, namespaces and services a label. */
function nameProblem({ group, plural }: Pick<ServedKind, 'group' | 'plural'>, name: string): string | undefined {
  if (group === 'rbac.authorization.k8s.io') {
    if (name === '.' || name === '..') return `may not be '${name}'`;
    return /[/%]/.test(name) ? "may not contain '/' or '%'" : undefined;
  }
  if (group === '' && (plural === 'namespaces' || plural === 'services')) return isDnsLabel(name) ? undefined : labelRule;
  return isDnsSubdomain(name) ? undefined : subdomainRule;
}

/** What is wrong with the metadata of an object that is about to be stored. */
export function metadataProblems(kind: ServedKind, object: JsonObject): Cause[] {
  const meta = metaOf(object);
  const { name = '', labels = {}, annotations = {}, finalizers = [], ownerReferences = [] } = meta;
  const causes: Cause[] = [];
  const badName = name === '' ? undefined : nameProblem(kind, name);
  if (name === '') causes.push(problems.required('metadata.name', 'name or generateName is required'));
  if (badName !== undefined) causes.push(problems.invalid('metadata.name', name, badName));
  for (const [key, value] of Object.entries(labels)) {
    if (!isLabelKey(key)) causes.push(problems.invalid('metadata.labels', key, 'name part must be a qualified name'));
    if (!isLabelValue(value)) {
      causes.push(
        problems.invalid(
          'metadata.labels',
          value,
          "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        ),
      );
    }
  }
  for (const key of Object.keys(annotations)) {
    if (!isLabelKey(key.toLowerCase())) causes.push(problems.invalid('metadata.annotations', key, 'name part must be a qualified name'));
  }
  for (const [index, finalizer] of finalizers.entries()) {
    if (!isLabelKey(finalizer))
      causes.push(problems.invalid(`metadata.finalizers[${index}]`, finalizer, 'name part must be a qualified name'));
  }
  return [...causes, ...ownerProblems(ownerReferences)];
}

function ownerProblems(references: NonNullable<ReturnType<typeof metaOf>['ownerReferences']>): Cause[] {
  const causes = references.flatMap((reference, index) =>
    (['apiVersion', 'kind', 'name', 'uid'] as const)
      .filter((field) => (reference[field] ?? '') === '')
      .map((field) => problems.invalid(`metadata.ownerReferences[${index}].${field}`, '', 'must not be empty')),
  );
  const controllers = references.filter(({ controller }) => controller === true);
  return controllers.length < 2
    ? causes
    : [...causes, problems.invalid('metadata.ownerReferences', controllers.length, 'Only one reference can have Controller set to true')];
}

/** What an update may not do to the metadata of an object. */
export function metadataUpdateProblems(before: JsonObject, after: JsonObject): Cause[] {
  const [old, now] = [metaOf(before), metaOf(after)];
  const causes: Cause[] = [];
  for (const field of ['name', 'namespace', 'uid', 'creationTimestamp'] as const) {
    if (now[field] !== undefined && now[field] !== old[field])
      causes.push(problems.invalid(`metadata.${field}`, now[field], 'field is immutable'));
  }
  if (old.deletionTimestamp !== undefined) {
    const added = (now.finalizers ?? []).filter((finalizer) => !(old.finalizers ?? []).includes(finalizer));
    if (added.length > 0) {
      const why = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((each) => JSON.stringify(each)).join(', ')}}`;
      causes.push(problems.forbidden('metadata.finalizers', why));
    }
  }
  return causes;
}
