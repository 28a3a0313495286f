import { Option } from 'commander';

const repeated = (text: string, before: readonly string[]): readonly string[] => [...before, text];

/** A flag that may be given several times. */
export const repeatedOption = (flags: string, description: string): Option =>
  new Option(flags, description).argParser(repeated).default([], 'none');
