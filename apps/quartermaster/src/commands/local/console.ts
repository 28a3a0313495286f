import { resolve } from 'node:path';
import type { Declare } from '../command.ts';
import { dataDirOption, jsonOption } from './options.ts';
import { declare as declareRoles } from './role.ts';

interface LinkFlags {
  readonly dataDir: string;
  readonly json?: boolean | undefined;
}

/** `quartermaster console`: the role, and `console link`: another way into the console of a running `up`. */
export const declare: Declare = (command, context) => {
  declareRoles(command, context);
  command
    .command('link')
    .description('Prints a link to the console of a running `up` that signs its opener in, once and within ten minutes.')
    .addOption(dataDirOption('of the `up` in question'))
    .addOption(jsonOption('as one JSON object'))
    .action(async ({ dataDir, json = false }: LinkFlags) => {
      const { printConsoleLink } = await import('../../status/console-link.ts');
      await printConsoleLink({ directory: resolve(dataDir), json }, context.output);
    });
};
