/** What can be told about one setting from its schema. Pure. */
import * as z from 'zod';

/** How a text of the environment or the command line becomes a value. */
export type TextForm = 'text' | 'number' | 'boolean' | 'list' | 'yaml';

export interface ConfigKey {
  /** Segments: `['tls', 'cert-file']`. */
  readonly path: readonly string[];
  /** `tls.cert-file` */
  readonly name: string;
  /** `QUARTERMASTER_TLS_CERT_FILE` */
  readonly variable: string;
  /** `tls-cert-file`, without the dashes in front. */
  readonly flag: string;
  readonly schema: z.core.$ZodType;
  readonly description: string;
  readonly typeName: string;
  readonly textForm: TextForm;
  readonly isReloadable: boolean;
  readonly isSecret: boolean;
  readonly isRequired: boolean;
  /** As it would be written. Undefined when there is none or when it is secret. */
  readonly defaultValue: unknown;
}

export const variablePrefix = 'QUARTERMASTER_';

export function configKey(path: readonly string[], schema: z.core.$ZodType): ConfigKey {
  const layers = unwrap(schema);
  const core = layers.at(-1) ?? schema;
  const metas = layers.map((layer) => z.globalRegistry.get(layer) ?? {});
  const isSecret = holdsSecret(schema);
  const joined = path.join('-');
  return {
    path,
    name: path.join('.'),
    variable: metas.find((meta) => meta.variable !== undefined)?.variable ?? variablePrefix + joined.replaceAll('-', '_').toUpperCase(),
    flag: joined,
    schema,
    description: metas.find((meta) => meta.description !== undefined)?.description ?? '',
    typeName: metas.find((meta) => meta.typeName !== undefined)?.typeName ?? typeNameOf(core),
    textForm: textFormOf(core),
    isReloadable: metas.some((meta) => meta.reloadable === true),
    isSecret,
    isRequired: !layers.some((layer) => layer instanceof z.ZodDefault || layer instanceof z.ZodPrefault || layer instanceof z.ZodOptional),
    defaultValue: isSecret ? undefined : defaultOf(layers),
  };
}

/** The schema and what is inside of its wrappers (optional, default, pipes), from the outside in. */
export function unwrap(schema: z.core.$ZodType): z.core.$ZodType[] {
  if (schema instanceof z.ZodPipe) return [schema, ...unwrap(schema.in)];
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly ||
    schema instanceof z.ZodCatch;
  return isWrapper ? [schema, ...unwrap(schema.unwrap())] : [schema];
}

/** Whether a value of this schema is a secret or has one somewhere inside. */
function holdsSecret(schema: z.core.$ZodType): boolean {
  return unwrap(schema).some((layer) => z.globalRegistry.get(layer)?.secret === true || partsOf(layer).some(holdsSecret));
}

function partsOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodArray) return [schema.element];
  if (schema instanceof z.ZodRecord) return [schema.valueType];
  if (schema instanceof z.ZodUnion) return schema.options;
  if (schema instanceof z.ZodObject) return Object.values<z.core.$ZodType>(schema.shape);
  return [];
}

function defaultOf(layers: readonly z.core.$ZodType[]): unknown {
  const layer = layers.find((each) => each instanceof z.ZodDefault || each instanceof z.ZodPrefault);
  return layer instanceof z.ZodDefault || layer instanceof z.ZodPrefault ? layer.def.defaultValue : undefined;
}

function textFormOf(core: z.core.$ZodType): TextForm {
  if (core instanceof z.ZodNumber) return 'number';
  if (core instanceof z.ZodBoolean) return 'boolean';
  if (core instanceof z.ZodArray) return 'list';
  if (core instanceof z.ZodRecord || core instanceof z.ZodObject) return 'yaml';
  return 'text';
}

function typeNameOf(core: z.core.$ZodType): string {
  if (core instanceof z.ZodString) return 'text';
  if (core instanceof z.ZodNumber) return core.format?.includes('int') === true ? 'integer' : 'number';
  if (core instanceof z.ZodBoolean) return 'true or false';
  if (core instanceof z.ZodEnum) return core.options.map((option) => `\`${option}\``).join(', ');
  if (core instanceof z.ZodArray) return `list of ${configKey(['item'], core.element).typeName}`;
  if (core instanceof z.ZodRecord) return `map to ${configKey(['item'], core.valueType).typeName}`;
  if (core instanceof z.ZodUnion) return [...new Set(core.options.map((option) => configKey(['item'], option).typeName))].join(' or ');
  return core._zod.def.type;
}
