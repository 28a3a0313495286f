import { readFileSync } from 'node:fs';
import type { BuiltInData, KindInfo, TypeData } from './built-in-data.ts';
import type { SchemaNode } from './schema-node.ts';

let loaded: { readonly data: BuiltInData; readonly schemas: Map<string, SchemaNode> } | undefined;

/** The schema of a built-in kind; undefined for any other. Read from disk once, at the first use. */
export function schemaOf(group: string, version: string, kind: string): SchemaNode | undefined {
  const { data, schemas } = load();
  const info = data.kinds.find((each) => each.group === group && each.version === version && each.kind === kind);
  if (info === undefined) return undefined;
  const known = schemas.get(info.type);
  if (known !== undefined) return known;
  const schema = resolve({ ref: info.type }, data.types);
  schemas.set(info.type, schema);
  return schema;
}

/** Every built-in kind, in the order of the real server's discovery. */
export function builtInKinds(): readonly KindInfo[] {
  return load().data.kinds;
}

function load() {
  loaded ??= {
    data: JSON.parse(readFileSync(new URL('vectors/built-in.json', import.meta.url), 'utf8')) as BuiltInData,
    schemas: new Map(),
  };
  return loaded;
}

/** The parts are resolved when they are first looked at: types refer to each other and to themselves. */
function resolve(use: TypeData, types: BuiltInData['types']): SchemaNode {
  const { ref, ...own } = use;
  const type = ref === undefined ? own : { ...types[ref], ...own };
  const { properties, items, additional, ...plain } = type;
  const node: SchemaNode = { type: 'any', ...plain, name: ref };
  const define = <T>(key: keyof SchemaNode, make: () => T) => {
    Object.defineProperty(node, key, {
      configurable: true,
      enumerable: true,
      get: () => {
        const value = make();
        Object.defineProperty(node, key, { value, enumerable: true });
        return value;
      },
    });
  };
  if (properties !== undefined) {
    define('properties', () => Object.fromEntries(Object.entries(properties).map(([name, child]) => [name, resolve(child, types)])));
  }
  if (items !== undefined) define('items', () => resolve(items, types));
  if (additional !== undefined) define('additional', () => resolve(additional, types));
  return node;
}
