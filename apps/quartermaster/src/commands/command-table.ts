import type { Command } from 'commander';
import type { VerbName } from '../server/resource.ts';
import type { Output } from '../text/output.ts';

/** Where a command writes, and how it says with which code the process ends. */
export interface CommandContext {
  readonly output: Output;
  readonly exitWith: (code: number) => void;
}

/** Gives a command its arguments, flags and commands below it. */
export type Declare = (command: Command, context: CommandContext) => void;

/** A command as the help of the whole shows it, which is all that is known of it before it is used. */
export interface CommandRow {
  /** `login [options] <address>` */
  readonly usage: string;
  readonly summary: string;
  /** Whether it only asks a server: then it needs nothing of what servers are made of. */
  readonly isClient: boolean;
  readonly load: () => Promise<{ readonly declare: Declare }>;
}

const verb = (name: VerbName) => async () => ({ declare: (await import('./verb-commands.ts')).verbCommand(name) });

const asking = (name: 'watch' | 'apply' | 'claim' | 'release' | 'whoami') => async () => {
  const [{ askingCommand }, verbs] = await Promise.all([import('./verb-commands.ts'), import('../fulfillment/fulfillment-verbs.ts')]);
  return { declare: askingCommand('fulfillment', verbs[name]) };
};

const client = (usage: string, summary: string, load: CommandRow['load']): CommandRow => ({ usage, summary, isClient: true, load });
const local = (usage: string, summary: string, load: CommandRow['load']): CommandRow => ({ usage, summary, isClient: false, load });

/** Every command, in the order in which the help lists them. */
export const commandTable: readonly CommandRow[] = [
  local(
    'up [options]',
    'Start everything on this machine: a simulated cluster, every role and the console. Loopback only.',
    () => import('./local/up.ts'),
  ),
  local(
    'status [options]',
    'What a running `up` consists of and how its parts are. Exit code 1 when one of them is not ready.',
    () => import('./local/status.ts'),
  ),
  client('get', 'List things.', verb('get')),
  client('describe', 'Everything about one thing.', verb('describe')),
  client('explain', 'Why something can or cannot be sold, and what would change that.', verb('explain')),
  client(
    'login [options] <address>',
    'Log in to a fulfillment service: HOST:PORT or https://HOST:PORT; http:// is plain text.',
    () => import('./login.ts'),
  ),
  client('logout [options] [name]', 'Forget a login: the current one unless you name another.', () => import('./logout.ts')),
  client('contexts [name]', 'The saved logins; with a name, make that one the current one.', () => import('./contexts.ts')),
  client('whoami [options]', 'Who the fulfillment service takes you for.', asking('whoami')),
  client('edit', 'Change an object in your editor.', verb('edit')),
  client('delete', 'Delete objects.', verb('delete')),
  client('watch [options] [kind...]', 'What changes, one event after the other, until Ctrl-C.', asking('watch')),
  client('create [options]', 'Make objects: from files, or the common ones from flags.', () => import('./create.ts')),
  client('apply [options]', 'Make objects what files say, and leave alone what they do not say.', asking('apply')),
  client('claim [options] <cluster> <node-set>', 'Give a node set of a cluster the free hosts that it lacks.', asking('claim')),
  client('release [options] <cluster> [node-set]', 'Take hosts from a cluster: all, or those of a node set.', asking('release')),
  client('removals [options]', 'Removals that wait for a person, because they are too many at once.', () => import('./removals.ts')),
  local(
    'manifests [options] [role...]',
    'Prints everything that these roles need in a cluster, or all roles, with their permissions, as YAML for kubectl apply --server-side -f -.',
    () => import('./local/manifests.ts'),
  ),
  local('simulate', 'Act on the simulation of a running `up`.', () => import('./local/simulate.ts')),
  local('service', 'Runs a service: an API over a database or a cluster.', () => import('./local/fulfillment-service.ts')),
  local('operator', 'Runs an operator: something that watches Kubernetes and acts on it.', () => import('./local/role.ts')),
  local('console', 'Serves the web console: signs people in and asks the other roles for them.', () => import('./local/console.ts')),
  local('discovery', 'Reads the hardware of the node that it runs on and keeps its NodeHardware object.', () => import('./local/role.ts')),
];

/** The command that these words are for, or whose help they ask for. */
export function commandOf(args: readonly string[]): CommandRow | undefined {
  const wanted = args[0] === 'help' ? args[1] : args[0];
  return commandTable.find(({ usage }) => usage.split(' ')[0] === wanted);
}
