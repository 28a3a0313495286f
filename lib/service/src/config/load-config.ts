import { StatusError } from '@quartermaster/kernel';
import type * as z from 'zod';
import type { ConfigKey } from './config-key.ts';
import type { ConfigDefinition, ConfigValues } from './define-config.ts';
import { type Environment, readEnvironment } from './environment-source.ts';
import { readFlags } from './flag-source.ts';
import { issueSentence } from './issue-sentence.ts';
import { type ConfigProblem, formatProblem, type Origin } from './origin.ts';
import type { RawSetting } from './raw-setting.ts';
import { Secret } from './secret.ts';
import { readYaml } from './yaml-source.ts';

/** What configuration is made of. Later ones win: defaults, presets, file, environment, flags. */
export interface ConfigSources {
  /** Defaults of this program, written as flags: whatever anybody has set counts more. */
  readonly presets?: readonly string[] | undefined;
  /** The text of a YAML file and the name to call it by. */
  readonly file?: { readonly name: string; readonly text: string } | undefined;
  readonly environment?: Environment | undefined;
  /** Arguments of the command line that are flags. */
  readonly args?: readonly string[] | undefined;
}

export interface LoadOptions {
  /** Keys of parts that do not run here. They are accepted, not checked and not needed. */
  readonly alsoKnown?: ConfigDefinition | undefined;
  /** Variables with the prefix that are no settings. Default: the one that names the file. */
  readonly reservedVariables?: readonly string[] | undefined;
}

export interface LoadedConfig<C extends ConfigValues> {
  readonly values: C;
  /** Dotted name -> where its value was written. Names that are not here have their default. */
  readonly origins: ReadonlyMap<string, Origin>;
}

/** The variable that names the configuration file. */
export const configFileVariable = 'QUARTERMASTER_CONFIG';

/**
 * Merges the sources and checks the result. Throws one `invalid_argument` with every problem there is, a line each; its details are a
 * list of `ConfigProblem`. No message holds the value of a secret.
 */
export function loadConfig<C extends ConfigValues>(
  definition: ConfigDefinition<C>,
  sources: ConfigSources,
  options: LoadOptions = {},
): LoadedConfig<C> {
  const known = { definition, alsoKnown: options.alsoKnown };
  const flags = readFlags(sources.args ?? [], known);
  const results = [
    readFlags(sources.presets ?? [], known),
    sources.file === undefined ? { settings: [], problems: [] } : readYaml(sources.file.text, sources.file.name, known),
    readEnvironment(sources.environment ?? {}, known, options.reservedVariables ?? [configFileVariable]),
    flags,
  ];
  const settings = new Map(results.flatMap((result) => result.settings).map((setting) => [setting.name, setting])); // name -> setting
  const problems = results.flatMap((result) => result.problems);
  for (const argument of flags.positionals) {
    problems.push({ origin: { kind: 'flag', flag: argument }, message: 'is not a flag: flags begin with --' });
  }
  const parsed = definition.schema.safeParse(rawTree(definition, settings));
  if (!parsed.success) problems.push(...parsed.error.issues.map((issue) => problemOf(issue, definition, settings)));
  else problems.push(...definition.check(parsed.data).map(({ key, message }) => ({ key, origin: originOf(key, settings), message })));
  if (!parsed.success || problems.length > 0) throw refusal(problems);
  return { values: parsed.data, origins: new Map([...settings].map(([name, { origin }]) => [name, origin])) };
}

function refusal(problems: readonly ConfigProblem[]): StatusError {
  const count = problems.length === 1 ? 'has a problem' : `has ${problems.length} problems`;
  const message = [`the configuration ${count}`, ...problems.map((problem) => `  ${formatProblem(problem)}`)].join('\n');
  return new StatusError('invalid_argument', message, { details: problems });
}

/** Groups are there even when empty, so that the defaults inside of them apply. */
function rawTree(definition: ConfigDefinition, settings: ReadonlyMap<string, RawSetting>): Record<string, unknown> {
  const tree: Record<string, unknown> = {};
  for (const group of definition.groups) {
    const isWanted = [...settings.keys()].some((name) => name.startsWith(`${group}.`));
    const optionalAbove = [...definition.optionalGroups].some((each) => group === each || group.startsWith(`${each}.`));
    if (isWanted || !optionalAbove) folderFor(tree, group.split('.'));
  }
  for (const { name, value } of settings.values()) {
    const path = name.split('.');
    folderFor(tree, path.slice(0, -1))[path.at(-1) ?? ''] = value;
  }
  return tree;
}

function folderFor(tree: Record<string, unknown>, path: readonly string[]): Record<string, unknown> {
  return path.reduce<Record<string, unknown>>((folder, segment) => (folder[segment] ??= {}) as Record<string, unknown>, tree);
}

function problemOf(issue: z.core.$ZodIssue, definition: ConfigDefinition, settings: ReadonlyMap<string, RawSetting>): ConfigProblem {
  const key = definition.keys.find((each) => each.path.every((segment, i) => issue.path[i] === segment));
  if (key === undefined) return { key: issue.path.join('.'), origin: { kind: 'default' }, message: issue.message };
  const setting = settings.get(key.name);
  if (setting === undefined) {
    const wayOut = `set it in the file, as ${key.variable} or as --${key.flag}`;
    return { key: key.name, origin: { kind: 'default' }, message: `is required: ${wayOut}` };
  }
  const inside = issue.path.slice(key.path.length);
  return {
    key: [key.name, ...inside.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))].join(''),
    origin: setting.originOf?.(inside) ?? setting.origin,
    message: withoutValue(issueSentence(issue), key, setting.value),
  };
}

/** A rule of a secret may have been written without thinking of the message. */
function withoutValue(message: string, key: ConfigKey, value: unknown): string {
  if (!key.isSecret) return message;
  return textsIn(value).reduce((rest, text) => (text === '' ? rest : rest.replaceAll(text, String(new Secret(text)))), message);
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsIn);
  return [String(value)];
}

function originOf(name: string, settings: ReadonlyMap<string, RawSetting>): Origin {
  return settings.get(name)?.origin ?? { kind: 'default' };
}
