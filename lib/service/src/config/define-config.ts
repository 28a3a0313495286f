import { StatusError } from '@quartermaster/kernel';
import * as z from 'zod';
import { type ConfigKey, configKey, unwrap } from './config-key.ts';

export type ConfigValues = Readonly<Record<string, unknown>>;

/** A rule over several keys. Returns what is wrong, and at which key, or undefined. */
export type ConfigRule<C> = (config: C) => { readonly key: string; readonly message: string } | undefined;

/** The settings that something understands. Made by `defineConfig` or `joinConfigs`. */
export interface ConfigDefinition<C extends ConfigValues = ConfigValues> {
  readonly schema: z.ZodType<C> & { readonly shape: Readonly<Record<string, z.core.$ZodType>> };
  /** Every setting, in the order of the definition. */
  readonly keys: readonly ConfigKey[];
  /** Dotted names of keys that hold others: `tls`. */
  readonly groups: ReadonlySet<string>;
  /** Groups that stay undefined as long as none of their keys is set. */
  readonly optionalGroups: ReadonlySet<string>;
  /** What the rules find wrong with these values, which have passed the schema. */
  check(values: ConfigValues): { readonly key: string; readonly message: string }[];
  /** Those of the values that this definition knows. They have passed its schema. */
  slice(values: ConfigValues): C;
}

/** The values that a definition gives. */
export type ConfigOf<D> = D extends ConfigDefinition<infer C> ? C : never;

type Shape = Readonly<Record<string, z.core.$ZodType>>;

const keyForm = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/**
 * Declares settings: kebab-case keys, each with a type and a description (`.describe` or `.meta`); nested objects are groups. A bad
 * definition is a bug and throws at once.
 */
export function defineConfig<S extends Shape>(
  shape: S,
  options: { readonly rules?: readonly ConfigRule<z.output<z.ZodObject<S>>>[] } = {},
): ConfigDefinition<z.output<z.ZodObject<S>>> {
  type C = z.output<z.ZodObject<S>>;
  const schema = z.object(shape);
  const walked: Walked = { keys: [], groups: new Set(), optionalGroups: new Set() };
  walk(shape, [], walked);
  refuseClashes(walked.keys);
  const slice = (values: ConfigValues): C =>
    Object.fromEntries(Object.keys(shape).flatMap((name) => (name in values ? [[name, values[name]]] : []))) as C;
  return {
    schema,
    ...walked,
    slice,
    check: (values) => (options.rules ?? []).flatMap((rule) => rule(slice(values)) ?? []),
  };
}

/** All settings of several definitions. A key that more than one declares must be declared by the same schema object. */
export function joinConfigs(definitions: readonly ConfigDefinition[]): ConfigDefinition {
  const shape: Record<string, z.core.$ZodType> = {};
  for (const [name, schema] of definitions.flatMap((each) => Object.entries(each.schema.shape))) {
    if (name in shape && shape[name] !== schema) {
      throw bug(`setting ${name} is declared twice and differently: export one schema and use it in both definitions`);
    }
    shape[name] = schema;
  }
  const rules = definitions.map((each) => (values: ConfigValues) => each.check(values));
  return { ...defineConfig(shape), check: (values) => rules.flatMap((rule) => rule(values)) };
}

interface Walked {
  readonly keys: ConfigKey[];
  readonly groups: Set<string>;
  readonly optionalGroups: Set<string>;
}

function walk(shape: Shape, parent: readonly string[], into: Walked): void {
  for (const [segment, schema] of Object.entries(shape)) {
    const path = [...parent, segment];
    const name = path.join('.');
    if (!keyForm.test(segment)) throw bug(`setting ${name} must be kebab-case, such as poll-period`);
    const layers = unwrap(schema);
    const core = layers.at(-1);
    if (core instanceof z.ZodObject) {
      into.groups.add(name);
      if (layers.some((layer) => layer instanceof z.ZodOptional)) into.optionalGroups.add(name);
      walk(core.shape, path, into);
      continue;
    }
    const key = configKey(path, schema);
    if (key.description === '') throw bug(`setting ${name} needs a description: add .describe('…')`);
    into.keys.push(key);
  }
}

/** `a.b-c` and `a-b.c` would be the same variable and flag. */
function refuseClashes(keys: readonly ConfigKey[]): void {
  const names = new Map<string, string>(); // flag -> name
  for (const { flag, name } of keys) {
    const other = names.get(flag);
    if (other !== undefined) throw bug(`settings ${other} and ${name} are both the flag --${flag}: rename one`);
    names.set(flag, name);
  }
}

const bug = (message: string): StatusError => new StatusError('internal', message);
