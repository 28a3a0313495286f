import { parseArgs } from 'node:util';
import type { ConfigKey } from './config-key.ts';
import { type KnownKeys, type RawSetting, type SourceResult, unknownKey } from './raw-setting.ts';
import { textValue } from './text-value.ts';

export interface FlagResult extends SourceResult {
  /** Arguments that are no flags, in order. */
  readonly positionals: readonly string[];
}

/**
 * Reads `--key value`, `--key=value`, `--switch` and `--no-switch`. A list may be given more than once; of anything else the last one
 * counts.
 */
export function readFlags(args: readonly string[], known: KnownKeys): FlagResult {
  const keys = new Map(known.definition.keys.map((key) => [key.flag, key])); // flag -> key
  const others = known.alsoKnown?.keys.filter((key) => !keys.has(key.flag)) ?? [];
  const options = Object.fromEntries(
    [...keys.values(), ...others].map((key) => [key.flag, { type: optionType(key), multiple: true } as const]),
  );
  const { tokens, positionals } = parseArgs({ args: [...args], options, strict: false, tokens: true, allowPositionals: true });
  const found = new Map<string, RawSetting>(); // name -> setting
  const problems: SourceResult['problems'][number][] = [];
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const flag = token.rawName;
    const isNegated = !keys.has(token.name) && token.name.startsWith('no-');
    const name = isNegated ? token.name.slice('no-'.length) : token.name;
    const key = keys.get(name);
    const origin = { kind: 'flag', flag } as const;
    if (key === undefined) {
      if (others.some((each) => each.flag === name)) continue;
      const guesses = [...keys.keys(), ...others.map((each) => each.flag)].map((each) => `--${each}`);
      problems.push({ origin, message: unknownKey(flag, guesses, 'flag') });
    } else if (key.textForm === 'boolean') {
      found.set(key.name, { name: key.name, value: switchValue(token.value, isNegated), origin });
    } else if (isNegated) {
      problems.push({ origin, message: `only a switch can be negated: write --${name} VALUE` });
    } else if (token.value === undefined || (!token.inlineValue && token.value.startsWith('--'))) {
      // A flag in the place of a value is a forgotten value; one that really begins so is written with an equals sign.
      problems.push({ origin, message: `needs a value: write ${flag} VALUE, or ${flag}=VALUE when it begins with --` });
    } else {
      const value = textValue(token.value, key.textForm);
      const before = found.get(key.name)?.value;
      const isMore = key.textForm === 'list' && Array.isArray(before) && Array.isArray(value);
      found.set(key.name, { name: key.name, value: isMore ? [...(before as unknown[]), ...(value as unknown[])] : value, origin });
    }
  }
  return { settings: [...found.values()], problems, positionals };
}

const optionType = (key: ConfigKey): 'boolean' | 'string' => (key.textForm === 'boolean' ? 'boolean' : 'string');

function switchValue(text: string | undefined, isNegated: boolean): unknown {
  if (text === undefined) return !isNegated;
  return isNegated ? text : textValue(text, 'boolean');
}
