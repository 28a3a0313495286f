import { InvalidArgumentError, Option } from 'commander';
import { defaultDirectory } from '../../run/default-directory.ts';

/** Parses a port; 0 stands for any free one. */
export function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('a port is a whole number from 0 to 65535; 0 takes any free one');
  return port;
}

export const dataDirOption = (description: string): Option => new Option('--data-dir <dir>', description).default(defaultDirectory());

export const jsonOption = (description: string): Option => new Option('--json', description);
