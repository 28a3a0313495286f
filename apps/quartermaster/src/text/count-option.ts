import { InvalidArgumentError, Option } from 'commander';

/** A flag that takes a number of things. */
export const countOption = (flags: string, description: string): Option => new Option(flags, description).argParser(countOf);

function countOf(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > 2 ** 31 - 1) throw new InvalidArgumentError('must be a positive integer');
  return count;
}
