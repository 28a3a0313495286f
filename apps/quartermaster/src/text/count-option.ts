import { InvalidArgumentError, Option } from 'commander';

/** A flag that takes a number of things, of which there must be some. */
export const countOption = (flags: string, description: string): Option =>
  new Option(flags, description).argParser((text) => countOf(text, 1, 'must be a positive integer'));

/** A flag that takes a number, which may be 0. */
export const numberOption = (flags: string, description: string): Option =>
  new Option(flags, description).argParser((text) => countOf(text, 0, 'must be an integer that is not negative'));

function countOf(text: string, least: number, rule: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < least || count > 2 ** 31 - 1) throw new InvalidArgumentError(rule);
  return count;
}
