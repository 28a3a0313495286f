import { variablePrefix } from './config-key.ts';
import { type KnownKeys, type SourceResult, unknownKey } from './raw-setting.ts';
import { textValue } from './text-value.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads `QUARTERMASTER_*`. `reserved` are variables that mean something else, such as the one with the path of the file. */
export function readEnvironment(environment: Environment, known: KnownKeys, reserved: readonly string[]): SourceResult {
  const keys = new Map(known.definition.keys.map((key) => [key.variable, key])); // variable -> key
  const others = [...(known.alsoKnown?.keys.map((key) => key.variable) ?? []), ...reserved];
  const settings: SourceResult['settings'][number][] = [];
  const problems: SourceResult['problems'][number][] = [];
  for (const [variable, text] of Object.entries(environment)) {
    if (!variable.startsWith(variablePrefix) || text === undefined) continue;
    const key = keys.get(variable);
    if (key !== undefined) {
      settings.push({ name: key.name, value: textValue(text, key.textForm), origin: { kind: 'environment', variable } });
    } else if (!others.includes(variable)) {
      const message = unknownKey(variable, [...keys.keys(), ...others], 'variable');
      problems.push({ origin: { kind: 'environment', variable }, message });
    }
  }
  return { settings, problems };
}
