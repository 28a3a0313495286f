import { transferHostname } from '../leases/lease-resources.ts';
import type { Declare } from './command.ts';
import { askingCommand } from './verb-commands.ts';

/** `hostname`: what a provider does with the names that lead to its leases. */
export const declare: Declare = (command, context) => {
  const transfer = command
    .command('transfer <hostname>')
    .description('Transfer a hostname to another lease of the same tenant, in one step.');
  askingCommand('cluster', transferHostname)(transfer, context);
};
