import type { Argument, Command, Option } from 'commander';

/** What was typed before the word that is being completed. */
export interface TypedLine {
  /** The command that it is about, as far as it was named. */
  readonly command: Command;
  readonly args: readonly string[];
  // attribute of an option -> what was given; true for one without a value
  readonly flags: ReadonlyMap<string, string | true>;
  /** Whose value is next. */
  readonly awaited: Option | undefined;
  /** After `--`, nothing is a flag. */
  readonly isPastFlags: boolean;
}

/** Follows the words from command to command, as the parser will. What nobody declared is skipped. */
export function readTyped(program: Command, words: readonly string[]): TypedLine {
  let command = program;
  let awaited: Option | undefined;
  let isPastFlags = false;
  const args: string[] = [];
  const flags = new Map<string, string | true>(); // attribute -> value
  for (const word of words) {
    if (awaited !== undefined) {
      flags.set(awaited.attributeName(), word);
      awaited = undefined;
    } else if (!isPastFlags && word === '--') {
      isPastFlags = true;
    } else if (!isPastFlags && word.startsWith('-') && word !== '-') {
      const [name = '', ...value] = word.split('=');
      const option = optionNamed(command, name);
      if (option === undefined) continue;
      if (takesValue(option) && value.length === 0) awaited = option;
      else flags.set(option.attributeName(), value.length === 0 || value.join('='));
    } else {
      const below = args.length > 0 ? undefined : command.commands.find((each) => namesOf(each).includes(word));
      if (below === undefined) args.push(word);
      else command = below;
    }
  }
  return { command, args, flags, awaited, isPastFlags };
}

export const optionNamed = ({ options }: Command, flag: string): Option | undefined =>
  options.find(({ short, long }) => flag === short || flag === long);

export const takesValue = ({ required, optional }: Option): boolean => required || optional;

export const namesOf = (command: Command): readonly string[] => [command.name(), ...command.aliases()];

/** The commands below one that a person may know of. */
export const visibleCommands = ({ commands }: Command): readonly Command[] => commands.filter((each) => !each.name().startsWith('__'));

/** The argument that comes next. */
export function nextArgument({ command, args }: TypedLine): Argument | undefined {
  const { registeredArguments: declared } = command;
  const last = declared.at(-1);
  return declared[args.length] ?? (last?.variadic === true ? last : undefined);
}
