import { leaseEvents, leaseLogs, leaseShell, sendManifest } from '../market/gateway-verbs.ts';
import { leaseClose, leaseStatus, leaseUpdate } from '../market/market-resources.ts';
import type { Declare } from './command.ts';
import { askingCommand } from './verb-commands.ts';

/** `lease`: what a tenant does with what runs for it. */
export const declare: Declare = (command, context) => {
  const status = command
    .command('status <lease>')
    .description(
      'Show the status of a lease: state, services and problems as its provider reports them, replicas and addresses at this moment.',
    );
  askingCommand('market', leaseStatus)(status, context);
  const logs = command.command('logs <lease>').description('Print the logs of the services of a lease.');
  askingCommand('market', leaseLogs)(logs, context);
  const shell = command
    .command('shell <lease> [command...]')
    .description('Run a command in a service of a lease, sh unless given. The exit code is that of the command.')
    .showHelpAfterError('(-- goes before a command that has flags: quartermaster lease shell LEASE -- ls -l)');
  askingCommand('market', leaseShell(context.exitWith))(shell, context);
  const events = command.command('events <lease>').description('Print what Kubernetes says of the pods and other objects of a lease.');
  askingCommand('market', leaseEvents)(events, context);
  const update = command
    .command('update <lease> <file>')
    .description(
      'Update a deployment, named by its ID or by one of its leases, from an SDL file. Shows the changes and asks for confirmation. Use - for standard input.',
    );
  askingCommand('market', leaseUpdate)(update, context);
  const send = command
    .command('send-manifest <lease> <file>')
    .description(
      'Send the manifest of an SDL file to the providers of a deployment, named by its ID or by one of its leases. Use - for standard input.',
    );
  askingCommand('market', sendManifest)(send, context);
  const close = command
    .command('close <lease>')
    .description('Close a lease. The market creates a new order for its group; to end it for good, close the deployment.');
  askingCommand('market', leaseClose)(close, context);
};
