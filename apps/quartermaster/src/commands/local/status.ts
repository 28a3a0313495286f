import { resolve } from 'node:path';
import type { Declare } from '../command.ts';
import { dataDirOption, jsonOption } from './options.ts';

interface StatusFlags {
  readonly dataDir: string;
  readonly json?: boolean | undefined;
}

/** `quartermaster status`: what runs and how it is. */
export const declare: Declare = (command, { output, exitWith }) => {
  command
    .addOption(dataDirOption('data directory of the running `up`'))
    .addOption(jsonOption('print one JSON object'))
    .action(async (flags: StatusFlags) => {
      const { showStatus } = await import('../../status/status.ts');
      exitWith(await showStatus({ directory: resolve(flags.dataDir), json: flags.json === true }, output));
    });
};
