import { interfaceText } from './shape-text.mjs';

/**
 * @typedef {object} Definition A CustomResourceDefinition, as far as it matters here.
 * @property {{ group: string, scope: string, names: { kind: string, plural: string }, versions: readonly Version[] }} spec
 *
 * @typedef {object} Version
 * @property {string} name
 * @property {boolean} storage
 * @property {{ openAPIV3Schema: import('./shape-text.mjs').Schema }} schema
 */

/**
 * A module with the shapes of custom resources, in the version that is stored, and the kinds as values: `nodeHardwareType` for NodeHardware.
 *
 * @param {readonly Definition[]} definitions
 * @param {string} from Where they stand, for the readers of the module.
 * @returns {string}
 */
export function customResourcesText(definitions, from) {
  const imports = "import type { ObjectMeta, ResourceType } from '@quartermaster/kernel';";
  return [`// Made from ${from} by \`npm run generate\`. Do not edit.\n${imports}\n`, ...definitions.map(definitionText)].join('\n');
}

/** @param {Definition} definition @returns {string} */
function definitionText({ spec: { group, scope, names, versions } }) {
  const { kind, plural } = names;
  const version = versions.find(({ storage }) => storage);
  if (version === undefined) throw new Error(`${plural}.${group}: no version has storage: true; exactly one must`);
  const { openAPIV3Schema: schema } = version.schema;
  const properties = { ...objectFields, ...schema.properties, ...objectFields };
  return `${interfaceText(kind, { ...schema, properties })}
export const ${lowerFirst(kind)}Type: ResourceType<${kind}> = {
  group: '${group}',
  version: '${version.name}',
  kind: '${kind}',
  plural: '${plural}',
  namespaced: ${scope === 'Namespaced'},
};
`;
}

// Definitions mostly leave these out, and say nothing of metadata where they do not.
const objectFields = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { $ref: 'ObjectMeta' } };

/**
 * The name of a value after the name of a kind: `csiStorageCapacity` for CSIStorageCapacity.
 *
 * @param {string} kind
 * @returns {string}
 */
export const lowerFirst = (kind) => kind.replace(/^[A-Z]+(?=[A-Z][a-z])|^[A-Z]/, (start) => start.toLowerCase());
