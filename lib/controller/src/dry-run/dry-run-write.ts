import { type KubeObject, keyText, type ObjectRef, type ResourceType } from '@quartermaster/kube';
import { diffJson, type FieldChange, formatPath, type PathStep } from '../json/json-diff.ts';
import { isJsonObject } from '../json/json-equal.ts';

/** What one write would have changed. Values of a Secret's data are replaced everywhere in it, so that it may be logged or shown. */
export interface DryRunWrite {
  readonly verb: 'create' | 'replace' | 'patch' | 'apply' | 'delete';
  readonly type: ResourceType;
  readonly ref: ObjectRef;
  readonly subresource: string | undefined;
  /** Undefined when there was no such object. */
  readonly before: KubeObject | undefined;
  /** Undefined for a delete. */
  readonly after: KubeObject | undefined;
  /** Without what the server keeps for itself. Empty when the write would have changed nothing. */
  readonly diff: readonly FieldChange[];
}

type Metadata = NonNullable<KubeObject['metadata']>;

const hidden = '(hidden)';

/** Metadata that the server keeps for itself, or that the headline already says. */
const noise: ReadonlySet<string> = new Set([
  'creationTimestamp',
  'generation',
  'managedFields',
  'name',
  'namespace',
  'resourceVersion',
  'selfLink',
  'uid',
]);

/** kubectl keeps a whole copy of what it applied, a Secret's data included, in this annotation. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

export function dryRunWrite(write: Omit<DryRunWrite, 'diff'>): DryRunWrite {
  const isSecret = write.type.group === '' && write.type.kind === 'Secret';
  const changes = fieldChanges(write.before, write.after);
  if (!isSecret) return { ...write, diff: changes };
  return { ...write, before: hideData(write.before), after: hideData(write.after), diff: changes.map(hideChange) };
}

/** The change for people: a headline, then one line per field such as `spec.replicas: 1 → 3`. */
export function describeWrite(write: DryRunWrite): string {
  const target = `${write.type.kind} ${keyText(write.ref)}${write.subresource === undefined ? '' : ` (${write.subresource})`}`;
  if (write.verb === 'delete') return write.before === undefined ? `nothing to delete: no ${target}` : `delete ${target}`;
  if (write.diff.length === 0) return `no change to ${target}`;
  const headline = write.before === undefined ? `create ${target}` : `change ${target}`;
  return [headline, ...write.diff.map((change) => `  ${describeChange(change)}`)].join('\n');
}

/** Against an empty object rather than against nothing, so that the parts of a new object are told apart. */
function fieldChanges(before: KubeObject | undefined, after: KubeObject | undefined): FieldChange[] {
  return diffJson(withoutNoise(before ?? {}), withoutNoise(after ?? {}));
}

function withoutNoise(object: KubeObject): object {
  const { apiVersion: _version, kind: _kind, metadata, ...rest } = object;
  const kept = Object.entries(withoutApplied(metadata ?? {})).filter(([field]) => !noise.has(field));
  return { metadata: Object.fromEntries(kept), ...rest };
}

function describeChange(change: FieldChange): string {
  const path = formatPath(change.path);
  switch (change.kind) {
    case 'added':
      return `+ ${path}: ${show(change.after)}`;
    case 'removed':
      return `- ${path}: ${show(change.before)}`;
    case 'changed':
      return `${path}: ${show(change.before)} → ${show(change.after)}`;
    case 'moved':
      return `${path}: order ${show(change.before)} → ${show(change.after)}`;
  }
}

function show(value: unknown): string {
  if (value === hidden) return hidden;
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length <= 400 ? text : `${text.slice(0, 400)}… (${text.length} characters)`;
}

function isSecretField(step: PathStep | undefined): boolean {
  return step === 'data' || step === 'stringData';
}

function hideChange(change: FieldChange): FieldChange {
  if (!isSecretField(change.path[0])) return change;
  return {
    ...change,
    ...('before' in change ? { before: hide(change.before) } : {}),
    ...('after' in change ? { after: hide(change.after) } : {}),
  };
}

function hideData(object: KubeObject | undefined): KubeObject | undefined {
  if (object === undefined) return undefined;
  const fields = Object.entries<unknown>({ ...object }).filter(([field]) => isSecretField(field));
  const hiddenFields = Object.fromEntries(fields.map(([field, value]) => [field, hide(value)]));
  return { ...object, ...hiddenFields, metadata: withoutApplied(object.metadata ?? {}) };
}

/** Keeps the names in a map and hides its values. */
function hide(value: unknown): unknown {
  return isJsonObject(value) ? Object.fromEntries(Object.keys(value).map((key) => [key, hidden])) : hidden;
}

function withoutApplied(metadata: Metadata): Metadata {
  if (metadata.annotations?.[lastApplied] === undefined) return metadata;
  const { [lastApplied]: _applied, ...annotations } = metadata.annotations;
  const { annotations: _annotations, ...rest } = metadata;
  return Object.keys(annotations).length === 0 ? rest : { ...rest, annotations };
}
