import { leaseClose, leaseStatus, leaseUpdate } from '../market/market-resources.ts';
import type { Declare } from './command.ts';
import { askingCommand } from './verb-commands.ts';

/** `lease`: what a tenant does with what runs for it. */
export const declare: Declare = (command, context) => {
  const status = command
    .command('status <lease>')
    .description('Show the status of a lease as its provider reports it: state, services and problems.');
  askingCommand('market', leaseStatus)(status, context);
  const update = command
    .command('update <lease> <file>')
    .description(
      'Update a deployment, named by its ID or by one of its leases, from an SDL file. Shows the changes and asks for confirmation. Use - for standard input.',
    );
  askingCommand('market', leaseUpdate)(update, context);
  const close = command
    .command('close <lease>')
    .description('Close a lease. The market creates a new order for its group; to end it for good, close the deployment.');
  askingCommand('market', leaseClose)(close, context);
};
