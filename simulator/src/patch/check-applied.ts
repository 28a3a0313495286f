import { badRequest, unexplained } from '../schema/api-status.ts';
import { field, isArray, isObject, type Json, type JsonObject } from '../schema/json.ts';
import type { SchemaNode } from '../schema/schema-node.ts';
import { type Atom, atomOf, itemElement } from './atoms.ts';
import { pathText } from './field-set.ts';
import { goText } from './strategic-directives.ts';

/** Refuses a configuration that cannot be merged: of another shape than its kind, or with two items of one key. */
export function checkApplied(schema: SchemaNode, applied: JsonObject): void {
  const metadata = field(applied, 'metadata');
  if (isObject(metadata) && isArray(field(metadata, 'managedFields'))) throw badRequest('metadata.managedFields must be nil');
  const problem = firstProblem(schema, applied, '');
  if (problem !== undefined) throw unexplained(`failed to create typed patch object (${subjectOf(applied)}): ${problem}`);
}

function firstProblem(schema: SchemaNode | undefined, value: Json, path: string): string | undefined {
  const wrong = wrongType(schema, value);
  if (wrong !== undefined) return `${path}: ${wrong}`;
  const atom = atomOf(schema, value);
  if (atom.kind === 'list' && isArray(value)) return itemProblem(atom, value, path);
  if (isObject(value) && schema !== undefined && schema.type !== 'any') {
    for (const [name, child] of Object.entries(value)) {
      const known = schema.properties !== undefined && Object.hasOwn(schema.properties, name) ? schema.properties[name] : schema.additional;
      if (known === undefined && schema.preserveUnknown !== true) return `${path}.${name}: field not declared in schema`;
      const problem = firstProblem(known, child, `${path}.${name}`);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function itemProblem(list: Extract<Atom, { kind: 'list' }>, items: readonly Json[], path: string): string | undefined {
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const element = itemElement(list, item);
    if (element === undefined) return `${path}: element ${index}: ${whyNoElement(list, item)}`;
    if (seen.has(element)) return `${path}: duplicate entries for key ${pathText([element])}`;
    seen.add(element);
    const problem = firstProblem(list.items, item, `${path}${pathText([element])}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function whyNoElement({ keys }: Extract<Atom, { kind: 'list' }>, item: Json): string {
  if (keys.length === 0) {
    if (isObject(item)) return "associative list without keys has an element that's a map type";
    return item === null
      ? "associative list without keys has an element that's an explicit null"
      : 'not supported: associative list with lists as elements';
  }
  if (item === null) return 'associative list with keys may not have a null element';
  if (!isObject(item)) return 'associative list with keys may not have non-map elements';
  const names = keys.map((key) => JSON.stringify(key)).join(' ');
  return `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`;
}

function wrongType(schema: SchemaNode | undefined, value: Json): string | undefined {
  if (value === null || schema === undefined) return undefined;
  const found = `got &{${goText(value)}}`;
  switch (schema.type) {
    case 'object':
      return isObject(value) ? undefined : `expected map, ${found}`;
    case 'array':
      return isArray(value) ? undefined : `expected list, ${found}`;
    case 'string':
      return typeof value === 'string' ? undefined : `expected string, ${found}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, ${found}`;
    case 'integer':
    case 'number':
      return typeof value === 'number' ? undefined : `expected numeric (int or float), ${found}`;
    default:
      return undefined;
  }
}

function subjectOf(applied: JsonObject): string {
  const metadata = field(applied, 'metadata');
  const text = (key: string) => {
    const value = isObject(metadata) ? field(metadata, key) : undefined;
    return typeof value === 'string' ? value : '';
  };
  const version = String(applied['apiVersion'] ?? '');
  return `${text('namespace')}/${text('name')}; ${version.includes('/') ? '' : '/'}${version}, Kind=${String(applied['kind'] ?? '')}`;
}
