import * as z from 'zod';
import type { ConfigKey } from './config-key.ts';
import type { ConfigDefinition } from './define-config.ts';

export interface ConfigReference {
  /** A table, one row per setting. */
  readonly markdown: string;
  /** Of the file. Editors and Helm check with it. */
  readonly jsonSchema: Readonly<Record<string, unknown>>;
}

const columns = ['key', 'type', 'default', 'environment', 'flag', 'reload', 'what it does'] as const;

/** The reference of all settings, made from their definition. */
export function describeConfig(definition: ConfigDefinition): ConfigReference {
  return { markdown: markdownTable(definition.keys.map(row)), jsonSchema: fileSchema(definition) };
}

function row(key: ConfigKey): readonly string[] {
  return [
    `\`${key.name}\``,
    key.typeName,
    defaultText(key),
    `\`${key.variable}\``,
    `\`--${key.flag}\``,
    key.isReloadable ? 'at run time' : 'restart',
    key.description,
  ];
}

function defaultText(key: ConfigKey): string {
  if (key.isRequired) return '_required_';
  if (key.defaultValue === undefined) return '';
  if (typeof key.defaultValue === 'string' && key.defaultValue !== '') return `\`${key.defaultValue}\``;
  return `\`${JSON.stringify(key.defaultValue)}\``;
}

/** Padded as our formatter pads tables, so that a generated page does not change when it is formatted. */
function markdownTable(rows: readonly (readonly string[])[]): string {
  const cells = [columns, ...rows].map((each) => each.map((cell) => cell.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')));
  const widths = columns.map((_, i) => Math.max(...cells.map((each) => each[i]?.length ?? 0)));
  const line = (each: readonly string[]): string => `| ${each.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = cells;
  return `${[line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')}\n`;
}

function fileSchema(definition: ConfigDefinition): Record<string, unknown> {
  const optional = new Set(definition.groups);
  return z.toJSONSchema(definition.schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema, path }) => {
      if (jsonSchema['secret'] === true) jsonSchema.writeOnly = true;
      // Words of our own, which a strict validator refuses.
      for (const word of ['typeName', 'secret', 'reloadable']) delete jsonSchema[word];
      if (jsonSchema.properties === undefined) return;
      jsonSchema.additionalProperties = false;
      // What is required may come from the environment or a flag, so that a file without it is no mistake.
      if (path.length === 0 || optional.has(groupOf(path))) delete jsonSchema.required;
    },
  });
}

/** `['properties', 'tls', 'properties', 'acme']` -> `tls.acme` */
function groupOf(path: readonly (string | number)[]): string {
  return path.filter((_, i) => i % 2 === 1).join('.');
}
