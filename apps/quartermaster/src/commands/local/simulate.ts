import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Declare } from '../command.ts';
import { dataDirOption, jsonOption } from './options.ts';

interface FaultFlags {
  readonly dataDir: string;
  readonly json?: boolean | undefined;
}

/** `quartermaster simulate fault`: what goes wrong on purpose in a running simulation. */
export const declare: Declare = (command, { output }) => {
  const fault = command.command('fault').description('Faults of the simulation.');
  const withDirectory = (below: Command): Command => below.addOption(dataDirOption('data directory of the running `up`'));

  withDirectory(fault.command('list').description('List the active faults.'))
    .addOption(jsonOption('print one JSON array'))
    .action(async ({ dataDir, json }: FaultFlags) => {
      const { listFaults } = await import('../../faults/fault-commands.ts');
      await listFaults(resolve(dataDir), { json: json === true }, output);
    });
  withDirectory(fault.command('remove <id...>').description('Remove faults by their IDs.')).action(
    async (ids: string[], { dataDir }: FaultFlags) => {
      const { removeFaults } = await import('../../faults/fault-commands.ts');
      await removeFaults(resolve(dataDir), ids, output);
    },
  );
  const add = fault.command('add').description('Add a fault; prints the ID under which it can be removed.');
  for (const { usage, description, options } of kinds) {
    const kind = withDirectory(add.command(usage).description(description));
    for (const option of options) kind.addOption(option);
    kind.action(async (...given: readonly unknown[]) => {
      const { dataDir, ...settings } = given.at(-2) as FaultFlags;
      const node = typeof given[0] === 'string' ? { node: given[0] } : {};
      const { addFault } = await import('../../faults/fault-commands.ts');
      await addFault(resolve(dataDir), { ...settings, ...node, kind: kind.name() }, output);
    });
  }
};

const numeric = (flags: string, description: string): Option => new Option(flags, description).argParser(numberOf);
const resource = new Option('--resource <plural>', 'of this kind only, such as pods');
const verbs = new Option('--verbs <verb...>', 'of these verbs only').choices(
  'get list watch create update patch delete deletecollection'.split(' '),
);

/** Of the API server, and of a node. */
const kinds: readonly { readonly usage: string; readonly description: string; readonly options: readonly Option[] }[] = [
  {
    usage: 'latency',
    description: 'The API server answers late.',
    options: [
      numeric('--ms <ms>', 'how late').makeOptionMandatory(),
      numeric('--jitter-ms <ms>', 'up to this much later, at random'),
      resource,
      verbs,
    ],
  },
  {
    usage: 'error',
    description: 'The API server refuses.',
    options: [
      numeric('--code <status>', 'HTTP status, 400 to 599').makeOptionMandatory(),
      numeric('--probability <share>', 'of requests, 0 to 1; all unless given'),
      numeric('--retry-after-seconds <s>', 'when clients are told to come back'),
      resource,
      verbs,
    ],
  },
  { usage: 'frozen-watches', description: 'Watches stay open and say nothing.', options: [resource] },
  { usage: 'stale-lists', description: 'Lists show the state of now, from now on.', options: [resource] },
  { usage: 'cut-watches', description: 'Every open watch is cut, once.', options: [resource] },
  { usage: 'expire', description: 'The API server forgets its past, once: watches from before get 410.', options: [] },
  { usage: 'node-loss <node>', description: 'A node falls silent.', options: [] },
  { usage: 'gpu-loss <node>', description: 'GPUs of a node fall off its bus.', options: [numeric('--count <n>', 'how many').default(1)] },
  {
    usage: 'gpu-xid <node>',
    description: 'The driver reports an error (Xid) of GPUs of a node.',
    options: [numeric('--code <xid>', 'such as 79, fallen off the bus').default(79), numeric('--count <n>', 'of how many').default(1)],
  },
  {
    usage: 'clock-skew <node>',
    description: 'The clock of a node is wrong.',
    options: [numeric('--by-ms <ms>', 'how far ahead; negative is behind').makeOptionMandatory()],
  },
];

function numberOf(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) throw new InvalidArgumentError('a number is needed');
  return number;
}
