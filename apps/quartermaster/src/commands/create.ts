import { createFiles } from '../fulfillment/fulfillment-verbs.ts';
import type { Declare } from './command.ts';
import { askingCommand, verbCommand } from './verb-commands.ts';

/** `create`: of files, and of flags the kinds that can be made of them. */
export const declare: Declare = (command, context) => {
  // Else what is said of an object would be taken as said of files.
  command.enablePositionalOptions();
  askingCommand('fulfillment', createFiles)(command, context);
  verbCommand('create')(command, context);
};
