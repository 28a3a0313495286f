import type { OwnableFields } from './api.ts';
import type { Comparison } from './compare-objects.ts';
import { FieldSet, fieldElement } from './field-set.ts';

/**
 * What a write can own. With a status subresource, a write to the object leaves the status alone, and a write to the status
 * changes nothing else: of a custom resource not even its metadata.
 */
export function ownableFields(
  kind: { readonly hasStatus: boolean; readonly isCustom: boolean },
  subresource?: string,
): OwnableFields | undefined {
  if (!kind.hasStatus) return undefined;
  if (subresource === 'status') return kind.isCustom ? { kind: 'only', fields: ['status'] } : { kind: 'all-but', fields: ['spec'] };
  return { kind: 'all-but', fields: ['status'] };
}

/** Facts about the object itself, which nobody owns. */
const identity = FieldSet.of([
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...['name', 'namespace', 'creationTimestamp', 'selfLink', 'uid', 'clusterName', 'generation', 'managedFields', 'resourceVersion'].map(
    (name) => ['f:metadata', fieldElement(name)],
  ),
]);

export function withoutIdentity(set: FieldSet): FieldSet {
  return set.difference(identity);
}

export function onlyOwnable(set: FieldSet, ownable: OwnableFields | undefined): FieldSet {
  if (ownable === undefined) return set;
  const elements = ownable.fields.map(fieldElement);
  return ownable.kind === 'only' ? set.startingWith(new Set(elements)) : set.without(FieldSet.of(elements.map((element) => [element])));
}

export function ownableChanges(changes: Comparison, ownable: OwnableFields | undefined): Comparison {
  return {
    removed: onlyOwnable(changes.removed, ownable),
    modified: onlyOwnable(changes.modified, ownable),
    added: onlyOwnable(changes.added, ownable),
  };
}
