import type { LabelSelectorRequirement } from '@quartermaster/kube/shapes';
import { matchesSelector } from '../../cluster/pods/label-selector.ts';
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
  const matchExpressions = splitOutsideParentheses(text).map((part) => labelRequirement(part.trim(), text));
  return (object) => matchesSelector({ matchExpressions }, metaOf(object).labels ?? {});
}

const operators: Readonly<Record<string, string>> = {
  in: 'In',
  notin: 'NotIn',
  '=': 'In',
  '==': 'In',
  '!=': 'NotIn',
  '>': 'Gt',
  '<': 'Lt',
  '!': 'DoesNotExist',
  '': 'Exists',
};

function labelRequirement(part: string, whole: string): LabelSelectorRequirement {
  const set = /^(?<key>\S+)\s+(?<operator>in|notin)\s*\((?<values>[^()]*)\)$/.exec(part);
  const equality = /^(?<key>[^=!<>\s]+)\s*(?<operator>==|=|!=|>|<)\s*(?<values>[^=!<>\s]*)$/.exec(part);
  const found = (set ?? equality ?? /^(?<operator>!?)\s*(?<key>\S+)$/.exec(part))?.groups;
  if (found === undefined) throw unparsable(whole, `found '${part}', expected: in, notin, =, ==, !=, gt, lt`);
  const { key = '', operator = '', values: text } = found;
  const values = text?.split(',').map((value) => value.trim()) ?? [];
  if (!isLabelKey(key)) throw unparsable(whole, `key: Invalid value: "${key}": not a qualified name`);
  const wrong = values.find((value) => (/[<>]/.test(operator) ? !/^-?\d+$/.test(value) : !isLabelValue(value)));
  if (wrong !== undefined)
    throw unparsable(whole, `values: Invalid value: "${wrong}": not a valid label value, or no integer for gt or lt`);
  return { key, operator: operators[operator] ?? '', values };
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
