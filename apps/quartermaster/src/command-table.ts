import type { Declare } from './commands/command.ts';
import { shellWords } from './completion/shell-words.ts';
import type { VerbName } from './server/resource.ts';

/** A command as the help of the whole shows it, which is all that is known of it before it is used. */
export interface CommandRow {
  /** `login [options] <address>` */
  readonly usage: string;
  readonly summary: string;
  /** Whether it needs nothing of what servers are made of: most of these only ask one. */
  readonly isClient: boolean;
  /** Not for people. */
  readonly isHidden?: boolean | undefined;
  readonly load: () => Promise<{ readonly declare: Declare }>;
}

const verb = (name: VerbName) => async () => ({ declare: (await import('./commands/verb-commands.ts')).verbCommand(name) });

const asking = (name: 'watch' | 'apply' | 'claim' | 'release' | 'whoami') => async () => {
  const [{ askingCommand }, verbs] = await Promise.all([
    import('./commands/verb-commands.ts'),
    import('./fulfillment/fulfillment-verbs.ts'),
  ]);
  return { declare: askingCommand('fulfillment', verbs[name]) };
};

const reserving = (name: 'reserve' | 'unreserve') => async () => {
  const [{ askingCommand }, verbs] = await Promise.all([
    import('./commands/verb-commands.ts'),
    import('./reservations/reservation-resources.ts'),
  ]);
  return { declare: askingCommand('cluster', verbs[name]) };
};

const collecting = async () => {
  const [{ askingCommand }, { collectLeftovers }] = await Promise.all([
    import('./commands/verb-commands.ts'),
    import('./leases/lease-resources.ts'),
  ]);
  return { declare: askingCommand('cluster', collectLeftovers) };
};

const trading = (name: 'deploy' | 'accept') => async () => {
  const [{ askingCommand }, verbs] = await Promise.all([import('./commands/verb-commands.ts'), import('./market/market-resources.ts')]);
  return { declare: askingCommand('market', verbs[name]) };
};

const client = (usage: string, summary: string, load: CommandRow['load']): CommandRow => ({ usage, summary, isClient: true, load });
const local = (usage: string, summary: string, load: CommandRow['load']): CommandRow => ({ usage, summary, isClient: false, load });

const completing = '__complete';

/** Every command, in the order in which the help lists them. */
export const commandTable: readonly CommandRow[] = [
  local(
    'up [options]',
    'Start everything on this machine: a simulated cluster, every role and the console. Loopback only.',
    () => import('./commands/local/up.ts'),
  ),
  local(
    'status [options]',
    'Show the parts of a running `up` and their state. The exit code is 1 when one of them is not ready.',
    () => import('./commands/local/status.ts'),
  ),
  client('get', 'List resources.', verb('get')),
  client('describe', 'Show one resource in detail.', verb('describe')),
  client('explain', 'Explain why a resource is sellable or a request fits, or why not, and what would change that.', verb('explain')),
  client('deploy [options] <file>', 'Deploy an SDL file: order what it asks for at the market. - is standard input.', trading('deploy')),
  client('accept [options] <bid>', 'Accept a bid: it becomes the lease of its order.', trading('accept')),
  client('close', 'Close a deployment or a lease.', verb('close')),
  client(
    'lease',
    'Show the status, logs and events of a lease, open a shell in it, update it, or close it.',
    () => import('./commands/leases.ts'),
  ),
  client('hostname', 'Transfer a hostname to another lease of the same tenant, in one step.', () => import('./commands/hostnames.ts')),
  client('gc [options]', 'Remove objects left over from ended leases; --dry-run lists them.', collecting),
  client('reserve [options] <order>', 'Reserve a part of the cluster for an order: OWNER/DSEQ/GSEQ/OSEQ.', reserving('reserve')),
  client('unreserve [options] <order>', 'Give back what is reserved for an order.', reserving('unreserve')),
  client(
    'login [options] <address>',
    'Log in to a fulfillment service or a market: HOST[:PORT] or https://HOST[:PORT]; http:// is plain text.',
    async () => ({ declare: (await import('./commands/logins.ts')).login }),
  ),
  client('logout [options] [name]', 'Remove a saved login: the current one unless another is named.', async () => ({
    declare: (await import('./commands/logins.ts')).logout,
  })),
  client('contexts [name]', 'List the saved logins or, with a name, make that one current.', async () => ({
    declare: (await import('./commands/logins.ts')).contexts,
  })),
  client('whoami [options]', 'Show who you are to the fulfillment service or the market.', asking('whoami')),
  client('edit', 'Edit an object in your editor.', verb('edit')),
  client('delete', 'Delete objects.', verb('delete')),
  client(
    'watch [options] [kind...]',
    'Print an event for each change of an object, until Ctrl-C. Kinds of the market are named.',
    asking('watch'),
  ),
  client('create [options]', 'Create objects from files or flags.', async () => ({
    declare: (await import('./commands/verb-commands.ts')).createCommand,
  })),
  client('apply [options]', 'Create or update objects from files. Fields that are not in a file do not change.', asking('apply')),
  client('claim [options] <cluster> <node-set>', 'Assign free hosts to a node set of a cluster.', asking('claim')),
  client('release [options] <cluster> [node-set]', 'Release the hosts of a cluster, or of one of its node sets.', asking('release')),
  client('removals [options]', 'List the bulk removals that wait for approval, or approve one.', () => import('./commands/removals.ts')),
  local(
    'manifests [options] [role...]',
    'Print the manifests of these roles, or of all, with their permissions, for kubectl apply --server-side -f -.',
    () => import('./commands/local/manifests.ts'),
  ),
  local('simulate', 'Act on the simulation of a running `up`.', () => import('./commands/local/simulate.ts')),
  local('service', 'Run a service: an API over a database or a cluster.', () => import('./commands/local/fulfillment-service.ts')),
  local('operator', 'Run an operator, which watches Kubernetes and acts on it.', () => import('./commands/local/role.ts')),
  local(
    'console',
    'Serves the web console: signs people in and asks the other roles for them.',
    () => import('./commands/local/console.ts'),
  ),
  local(
    'discovery',
    'Reads the hardware of the node that it runs on and keeps its NodeHardware object.',
    () => import('./commands/local/role.ts'),
  ),
  client('completion <shell>', 'Print the script that completes commands in bash, zsh or fish.', async () => ({
    declare: (await import('./commands/completion.ts')).script,
  })),
  {
    ...client(`${completing} [options]`, 'What may be typed next, for the scripts of `completion`.', async () => ({
      declare: (await import('./commands/completion.ts')).answer,
    })),
    isHidden: true,
  },
];

/** The commands that these words need: more than one where a line is completed. */
export function commandsOf(args: readonly string[]): readonly CommandRow[] {
  const [first, flag, line = ''] = args;
  const own = commandOf(args);
  const completed = first === completing && flag === '--line' ? commandOf(shellWords(line).slice(1)) : undefined;
  return [own, completed].filter((row) => row !== undefined);
}

/** The command that these words are for, or whose help they ask for. */
function commandOf(args: readonly string[]): CommandRow | undefined {
  const wanted = args[0] === 'help' ? args[1] : args[0];
  return commandTable.find(({ usage }) => usage.split(' ')[0] === wanted);
}
