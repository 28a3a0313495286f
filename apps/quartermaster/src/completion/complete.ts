import type { Command, Option } from 'commander';
import type { Resource } from '../server/resource.ts';
import { namesOf, nextArgument, optionNamed, readTyped, type TypedLine, takesValue, visibleCommands } from './typed-line.ts';
import { argumentValues, optionValues, type Values } from './value-source.ts';

/** Something that may be typed next. */
export interface Candidate {
  readonly value: string;
  /** A few words about it; may be empty. */
  readonly note: string;
}

export interface Completion {
  readonly candidates: readonly Candidate[];
  /** Which paths of this machine may be typed as well. */
  readonly paths: 'files' | 'folders' | 'none';
}

const nothing: Completion = { candidates: [], paths: 'none' };

/**
 * What may be typed in place of the last word. Of `--flag=value` only the value is completed. It asks servers for names, and fails when they do.
 */
export async function complete(program: Command, words: readonly string[], resources: readonly Resource[]): Promise<Completion> {
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  // `help get` is about commands, and so is what follows.
  if (before[0] === 'help') return matching(current, commandCandidates(program));
  const typed = readTyped(program, before);
  if (typed.awaited !== undefined) return ofValues(current, await optionValues(typed.awaited, typed, current, resources));
  if (!typed.isPastFlags && current.startsWith('-')) {
    const [, flag, value] = /^(--[^=]+)=(.*)$/s.exec(current) ?? [];
    if (flag === undefined || value === undefined) return matching(current, flagCandidates(typed));
    const option = optionNamed(typed.command, flag);
    return option === undefined ? nothing : ofValues(value, await optionValues(option, typed, value, resources));
  }
  const below = typed.args.length > 0 ? nothing : belowCandidates(typed.command, current);
  const argument = nextArgument(typed);
  if (argument === undefined) return below;
  const values = ofValues(current, await argumentValues(argument, typed, current, resources));
  const isNew = ({ value }: Candidate): boolean => !typed.args.includes(value);
  return { ...values, candidates: [...below.candidates, ...values.candidates.filter(isNew)] };
}

const matching = (prefix: string, candidates: readonly Candidate[]): Completion => ({
  candidates: candidates.filter(({ value }) => value.startsWith(prefix)),
  paths: 'none',
});

function ofValues(prefix: string, values: Values): Completion {
  if (typeof values === 'string') return { candidates: [], paths: values };
  return matching(
    prefix,
    values.map((value) => ({ value, note: '' })),
  );
}

/** By their first names; by others only when the word can be nothing else. */
function belowCandidates(command: Command, current: string): Completion {
  const first = matching(current, commandCandidates(command));
  if (first.candidates.length > 0) return first;
  const aliases = visibleCommands(command).flatMap((each) => namesOf(each).map((value) => ({ value, note: each.description() })));
  return matching(current, aliases);
}

function commandCandidates(command: Command): readonly Candidate[] {
  const candidates = visibleCommands(command).map((each) => ({ value: each.name(), note: each.description() }));
  return command.parent === null ? [...candidates, { value: 'help', note: 'Show help for a command.' }] : candidates;
}

/** Those that were not given yet, or may be given again. */
function flagCandidates({ command, flags }: TypedLine): readonly Candidate[] {
  const isOpen = (option: Option): boolean =>
    !option.hidden && (!flags.has(option.attributeName()) || option.variadic || Array.isArray(option.defaultValue));
  const own = command.options.filter(isOpen).map((option) => ({ value: option.long ?? option.flags, note: noteOf(option) }));
  return [...own, { value: '--help', note: 'display help for command' }];
}

function noteOf(option: Option): string {
  const { description, argChoices } = option;
  return takesValue(option) && argChoices !== undefined ? `${description}: ${argChoices.join(', ')}` : description;
}
