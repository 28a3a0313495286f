import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Output } from '../text/output.ts';
import { dataDirOption, jsonOption } from './options.ts';

interface StatusFlags {
  readonly dataDir: string;
  readonly json?: boolean;
}

/** `quartermaster status`: what runs and how it is. */
export function addStatusCommand(program: Command, output: Output, exitWith: (code: number) => void): void {
  program
    .command('status')
    .description('What a running `up` consists of and how its parts are. Exit code 1 when one of them is not ready.')
    .addOption(dataDirOption('of the `up` in question'))
    .addOption(jsonOption('as one JSON object'))
    .action(async (flags: StatusFlags) => {
      const { showStatus } = await import('../status/show-status.ts');
      exitWith(await showStatus({ directory: resolve(flags.dataDir), json: flags.json === true }, output));
    });
}
