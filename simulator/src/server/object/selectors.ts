import { badRequest } from '../../schema/api-status.ts';
import { type JsonObject, metaOf, textAt } from './api-object.ts';

export type ObjectFilter = (object: JsonObject) => boolean;

const labelName = /^([a-z0-9A-Z]([-a-z0-9A-Z_.]{0,61}[a-z0-9A-Z])?)$/;
const labelPrefix = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

export function isLabelKey(key: string): boolean {
  const [name, prefix, ...more] = key.split('/').reverse();
  return more.length === 0 && labelName.test(name ?? '') && (prefix === undefined || labelPrefix.test(prefix));
}

export const isLabelValue = (value: string): boolean => value === '' || labelName.test(value);

/** What an object's labels must fulfil, for a selector in the text form of the API. */
export function parseLabelSelector(text: string): ObjectFilter {
  if (text.trim() === '') return () => true;
  const requirements = splitOutsideParentheses(text).map((part) => labelRequirement(part.trim(), text));
  return (object) => {
    const labels = metaOf(object).labels ?? {};
    return requirements.every((fulfilled) => fulfilled(labels));
  };
}

type Labels = Readonly<Record<string, string>>;

function labelRequirement(part: string, whole: string): (labels: Labels) => boolean {
  const set = /^(\S+)\s+(in|notin)\s*\(([^()]*)\)$/.exec(part);
  if (set !== null) {
    const [, key = '', operator, list = ''] = set;
    const values = new Set(list.split(',').map((value) => checkedValue(value.trim(), whole)));
    checkedKey(key, whole);
    return operator === 'in'
      ? (labels) => labels[key] !== undefined && values.has(labels[key])
      : (labels) => labels[key] === undefined || !values.has(labels[key]);
  }
  const equality = /^([^=!<>\s]+)\s*(==|=|!=|>|<)\s*([^=!<>\s]*)$/.exec(part);
  if (equality !== null) {
    const [, key = '', operator, value = ''] = equality;
    checkedKey(key, whole);
    if (operator === '>' || operator === '<') {
      if (!/^-?\d+$/.test(value)) throw unparsable(whole, `for 'Gt', 'Lt' operators, the value must be an integer`);
      const compare = operator === '>' ? (a: number, b: number) => a > b : (a: number, b: number) => a < b;
      return (labels) => /^-?\d+$/.test(labels[key] ?? '') && compare(Number(labels[key]), Number(value));
    }
    checkedValue(value, whole);
    return operator === '!=' ? (labels) => labels[key] !== value : (labels) => labels[key] === value;
  }
  const presence = /^(!?)\s*(\S+)$/.exec(part);
  if (presence === null) throw unparsable(whole, `found '${part}', expected: in, notin, =, ==, !=, gt, lt`);
  const [, not, key = ''] = presence;
  checkedKey(key, whole);
  return not === '!' ? (labels) => labels[key] === undefined : (labels) => labels[key] !== undefined;
}

function checkedKey(key: string, whole: string): void {
  if (!isLabelKey(key)) throw unparsable(whole, `key: Invalid value: "${key}": not a qualified name`);
}

function checkedValue(value: string, whole: string): string {
  if (!isLabelValue(value)) throw unparsable(whole, `values: Invalid value: "${value}": not a valid label value`);
  return value;
}

const unparsable = (selector: string, why: string) => badRequest(`unable to parse requirement of labelSelector "${selector}": ${why}`);

function splitOutsideParentheses(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '(') depth += 1;
    else if (text[index] === ')') depth -= 1;
    else if (text[index] === ',' && depth === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, text.slice(start)];
}

/** group/plural -> the fields that its lists can be selected by, beside name and namespace. */
const selectableFields: Readonly<Record<string, readonly string[]>> = {
  '/pods': ['spec.nodeName', 'spec.restartPolicy', 'spec.schedulerName', 'spec.serviceAccountName', 'status.phase', 'status.podIP'],
  '/events': [
    ...['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map((field) => `involvedObject.${field}`),
    ...['reason', 'reportingComponent', 'source', 'type'],
  ],
  '/namespaces': ['status.phase'],
  '/nodes': ['spec.unschedulable'],
  '/secrets': ['type'],
  '/services': ['spec.clusterIP', 'spec.type'],
  'apps/replicasets': ['status.replicas'],
  'resource.k8s.io/resourceslices': ['spec.nodeName', 'spec.driver'],
};

/** What an object's fields must equal. `storageKey` is group/plural; `extra` are a CRD's own selectable fields. */
export function parseFieldSelector(text: string, storageKey: string, extra: readonly string[] = []): ObjectFilter {
  const terms = text.split(',').filter((term) => term.trim() !== '');
  const known = ['metadata.name', 'metadata.namespace', ...(selectableFields[storageKey] ?? []), ...extra];
  const checks = terms.map((term) => {
    const match = /^([^=!]+?)\s*(==|=|!=)(.*)$/s.exec(term.trim());
    if (match === null) throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`);
    const [, field = '', operator, raw = ''] = match;
    if (!known.includes(field)) throw badRequest(`field label not supported: ${field}`);
    const value = raw.trim().replaceAll(/\\([\\,=])/g, '$1');
    const path = field.split('.');
    const equals = operator !== '!=';
    return (object: JsonObject): boolean => (fieldText(object, path) === value) === equals;
  });
  return (object) => checks.every((check) => check(object));
}

/** A boolean reads as false where it is missing. */
const fieldText = (object: JsonObject, path: readonly string[]): string =>
  textAt(object, ...path) || (path.at(-1) === 'unschedulable' ? 'false' : '');
