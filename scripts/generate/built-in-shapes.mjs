import { lowerFirst } from './custom-resource.mjs';
import { interfaceText } from './shape-text.mjs';

/**
 * @typedef {import('./shape-text.mjs').Schema} Schema
 * @typedef {import('../../simulator/src/schema/built-in-data.ts').BuiltInData} BuiltInData
 * @typedef {import('../../simulator/src/schema/built-in-data.ts').TypeData} TypeData
 */

const metaType = 'apis.meta.v1.ObjectMeta';

/** Stored twice by the server, as a kind of two groups; ours is the one of events.k8s.io. */
const left = 'core.v1.Event';

/**
 * The modules for the built-in kinds that can be listed.
 *
 * @param {BuiltInData} data
 * @returns {{ readonly meta: string, readonly shapes: string, readonly kinds: string }} `meta` is what every object has, and is left out of `shapes`.
 */
export function builtInModules({ server, kinds, types }) {
  const header = `// What Kubernetes ${server} says of its kinds, made by \`npm run generate\`. Do not edit.\n`;
  const listed = kinds
    .filter(({ verbs, type }) => verbs.includes('list') && type !== left)
    .toSorted((a, b) => (a.plural < b.plural ? -1 : 1));
  const metaTypes = reachable([metaType], types);
  const roots = listed.map(({ type }) => type);
  const shapeTypes = reachable(roots, types).filter((type) => !metaTypes.includes(type));
  const names = namesOf([...metaTypes, ...shapeTypes], roots);
  /** @param {readonly string[]} wanted @returns {string} */
  const interfaces = (wanted) =>
    wanted
      .map((type) => interfaceText(names.get(type) ?? '', schemaOf(types[type] ?? {}, types, names)))
      .toSorted()
      .join('\n');
  const kindNames = listed.map(({ kind }) => kind).toSorted();
  const values = listed.map(
    ({ group, version, kind, plural, namespaced }) =>
      `  ${valueName(kind, plural)}: resourceType<${kind}>({ group: '${group}', version: '${version}', kind: '${kind}', plural: '${plural}', namespaced: ${namespaced} }),\n`,
  );
  return {
    meta: `${header}${interfaces(metaTypes)}`,
    shapes: `${header}import type { ObjectMeta } from '@quartermaster/kernel';\n\n${interfaces(shapeTypes)}`,
    kinds: `${header}import { resourceType } from '@quartermaster/kernel';
import type { ${kindNames.join(', ')} } from './shapes.ts';

/** Built-in kinds by their plural. The kinds of definitions are declared with these, in \`api\`. */
export const kinds = {
${values.join('')}} as const;
`,
  };
}

/** `persistentVolumeClaims` for PersistentVolumeClaim. @param {string} kind @param {string} plural @returns {string} */
function valueName(kind, plural) {
  const lower = kind.toLowerCase();
  let same = 0;
  while (same < lower.length && lower[same] === plural[same]) same += 1;
  return lowerFirst(kind).slice(0, same) + plural.slice(same);
}

/** The types with fields that the roots need, roots included. @param {readonly string[]} roots @param {BuiltInData['types']} types @returns {string[]} */
function reachable(roots, types) {
  const found = new Set(roots);
  /** @param {TypeData} type */
  const visit = (type) => {
    if (type.ref !== undefined && types[type.ref]?.properties !== undefined) found.add(type.ref);
    for (const part of [type.items, type.additional, ...Object.values(type.properties ?? {})]) if (part !== undefined) visit(part);
  };
  // A set hands out what is added during the walk, too.
  for (const name of found) visit(types[name] ?? {});
  return [...found].toSorted();
}

/** @param {readonly string[]} types @param {readonly string[]} roots Keep their short names where two types have the same. @returns {Map<string, string>} */
function namesOf(types, roots) {
  /** @param {string} type @returns {string} */
  const short = (type) => type.slice(type.lastIndexOf('.') + 1);
  return new Map(
    types.map((type) => {
      const isTaken = types.some((other) => other !== type && short(other) === short(type)) && !roots.includes(type);
      const [group = ''] = type.split('.');
      return [type, isTaken ? `${group[0]?.toUpperCase()}${group.slice(1)}${short(type)}` : short(type)];
    }),
  );
}

/**
 * The same in OpenAPI's words, without the values of enumerations: a server of another version has others.
 *
 * @param {TypeData} type
 * @param {BuiltInData['types']} types
 * @param {ReadonlyMap<string, string>} names
 * @returns {Schema}
 */
function schemaOf(type, types, names) {
  const { ref, properties, items, additional, required } = type;
  const name = ref === undefined ? undefined : names.get(ref);
  if (name !== undefined) return { $ref: name };
  if (ref !== undefined) return schemaOf(types[ref] ?? {}, types, names);
  /** @param {TypeData} part @returns {Schema} */
  const inner = (part) => schemaOf(part, types, names);
  const fields = Object.entries(properties ?? {}).map(([field, part]) => /** @type {const} */ ([field, inner(part)]));
  return {
    type: type.type === 'quantity' ? 'string' : type.type,
    'x-kubernetes-int-or-string': type.type === 'int-or-string',
    properties: properties && Object.fromEntries(fields),
    items: items && inner(items),
    additionalProperties: additional && inner(additional),
    required,
  };
}
