import { isArray, isObject, type Json } from './json.ts';
import type { SchemaNode } from './schema-node.ts';

/** Words that CEL keeps for itself, and names that it cannot write, are escaped by the server like this. */
const reserved = new Set([
  ...['true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import', 'let'],
  ...['loop', 'package', 'namespace', 'return'],
]);

/** A value as a rule sees it: whole numbers as CEL's int, dates as timestamps, fields under names that CEL can write. */
export function celValue(schema: SchemaNode | undefined, value: Json): unknown {
  if (isArray(value)) return value.map((item) => celValue(schema?.items, item));
  if (isObject(value)) {
    const properties = schema?.properties ?? {};
    const entries = Object.entries(value).map(([name, child]) =>
      Object.hasOwn(properties, name) ? [escapeName(name), celValue(properties[name], child)] : [name, celValue(schema?.additional, child)],
    );
    return Object.fromEntries(entries);
  }
  if (typeof value === 'number') return schema?.type === 'number' || !Number.isInteger(value) ? value : BigInt(value);
  if (typeof value === 'string' && schema?.type === 'string') return celText(schema.rules?.['format'], value);
  return value;
}

function celText(format: unknown, text: string): unknown {
  if (format === 'date-time' || format === 'date') return new Date(text);
  return format === 'byte' ? new Uint8Array(Buffer.from(text, 'base64')) : text;
}

function escapeName(name: string): string {
  if (reserved.has(name)) return `__${name}__`;
  return name.replaceAll('__', '__underscores__').replaceAll('.', '__dot__').replaceAll('-', '__dash__').replaceAll('/', '__slash__');
}
