import type { Command } from 'commander';
import type { Output } from '../text/output.ts';

/** Where a command writes, and how it says with which code the process ends. */
export interface CommandContext {
  readonly output: Output;
  readonly exitWith: (code: number) => void;
}

/** Gives a command its arguments, flags and commands below it. */
export type Declare = (command: Command, context: CommandContext) => void;
