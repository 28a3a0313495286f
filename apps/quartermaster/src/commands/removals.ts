import { Option } from 'commander';
import type { ApproveFlags, ListFlags } from '../removals/removals.ts';
import type { Verb } from '../server/resource.ts';
import { type ServerName, servers } from '../server/servers.ts';
import type { Declare } from './command.ts';
import { askingCommand } from './verb-commands.ts';

const role = (): Option =>
  new Option('--role <name>', 'role whose removals are meant').choices(Object.keys(servers)).default('inventory' satisfies ServerName);

const list: Verb<ListFlags> = {
  options: [role(), new Option('--json', 'print JSON').default(false)],
  load: async () => {
    const { listRemovals } = await import('../removals/removals.ts');
    return (_args, flags, output) => listRemovals(flags, output);
  },
};

const approve: Verb<ApproveFlags> = {
  options: [role(), new Option('-y, --yes', 'do not ask for confirmation').default(false)],
  load: async () => {
    const { approveRemoval } = await import('../removals/removals.ts');
    return ([id = ''], flags, output) => approveRemoval(id, flags, output);
  },
};

/** `removals`: what an operator does not remove without a person, and the person's word. */
export const declare: Declare = (command, context) => {
  command.enablePositionalOptions();
  askingCommand('inventory', list)(command, context);
  const approving = command.command('approve <id>').description('Approve a removal, exactly as it was listed.');
  askingCommand('inventory', approve)(approving, context);
};
