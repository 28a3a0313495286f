import type { JsonObject } from '../src/schema/index.ts';
import { crdSchema, schemaOf } from '../src/schema/index.ts';
import type { OracleKind } from './patch-oracle.ts';

const text = { type: 'string' };
const count = { type: 'integer' };

/** A schema with every way in which server-side apply divides a value, and a rule of every kind. */
const gadgetSchema: JsonObject = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer', minimum: 0, maximum: 100 },
        colour: { type: 'string', enum: ['blue', 'red', 'green'], default: 'blue' },
        label: { type: 'string', pattern: '^[a-z]*$', maxLength: 8 },
        note: { type: 'string', nullable: true },
        tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        steps: { type: 'array', items: text, maxItems: 4 },
        parts: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name', 'protocol'],
          items: {
            type: 'object',
            required: ['name'],
            properties: {
              name: text,
              protocol: { type: 'string', default: 'TCP' },
              amount: count,
              extra: { type: 'object', additionalProperties: text },
            },
          },
        },
        settings: { type: 'object', additionalProperties: text },
        whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: text, b: text } },
        nested: {
          type: 'object',
          properties: { inner: { type: 'object', properties: { a: text, b: count, c: { type: 'string', default: 'see' } } } },
        },
        open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        limit: { 'x-kubernetes-int-or-string': true },
        fixed: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'fixed cannot be changed' }] },
      },
      'x-kubernetes-validations': [{ rule: '!has(self.size) || self.size != 13', message: 'thirteen is no size' }],
    },
    status: {
      type: 'object',
      properties: {
        phase: { type: 'string', enum: ['Ready', 'Broken'] },
        conditions: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['type'],
          items: { type: 'object', required: ['type'], properties: { type: text, status: text } },
        },
      },
    },
  },
};

export function gadgetDefinition(group: string): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `gadgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: gadgetSchema }, subresources: { status: {} } }],
    },
  };
}

export function gadgets(group: string): OracleKind {
  const schema = crdSchema(gadgetSchema);
  return { apiVersion: `${group}/v1`, kind: 'Gadget', plural: 'gadgets', schema, isCustom: true, hasStatus: true };
}

function builtIn(apiVersion: string, kind: string, plural: string, hasStatus: boolean): OracleKind {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const schema = schemaOf(group, version, kind);
  if (schema === undefined) throw new Error(`${apiVersion} ${kind} is no built-in kind`);
  return { apiVersion, kind, plural, schema, isCustom: false, hasStatus };
}

export const configMaps = (): OracleKind => builtIn('v1', 'ConfigMap', 'configmaps', false);
/** A pod template that no controller touches. */
export const podTemplates = (): OracleKind => builtIn('v1', 'PodTemplate', 'podtemplates', false);
export const services = (): OracleKind => builtIn('v1', 'Service', 'services', true);
