import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Output } from '../../text/output.ts';
import type { Declare } from '../command.ts';
import { dataDirOption, jsonOption } from './options.ts';

interface FaultFlags {
  readonly dataDir: string;
  readonly json?: boolean | undefined;
}

type Fault = Readonly<Record<string, unknown>>;

/** `quartermaster simulate fault`: what goes wrong on purpose in a running simulation. */
export const declare: Declare = (command, { output }) => {
  const fault = command.command('fault').description('Faults on purpose.');
  const withDirectory = (below: Command): Command => below.addOption(dataDirOption('of the `up` in question'));

  withDirectory(fault.command('list').description('The faults in force.'))
    .addOption(jsonOption('as one JSON array'))
    .action(async ({ dataDir, json }: FaultFlags) => {
      const { listFaults } = await import('../../faults/fault-commands.ts');
      await listFaults(resolve(dataDir), { json: json === true }, output);
    });
  withDirectory(fault.command('remove <id...>').description('End faults by their ids.')).action(
    async (ids: string[], { dataDir }: FaultFlags) => {
      const { removeFaults } = await import('../../faults/fault-commands.ts');
      await removeFaults(resolve(dataDir), ids, output);
    },
  );
  const add = fault.command('add').description('Begin a fault; prints the id under which it ends.');
  addApiFaults(add, withDirectory, output);
  addNodeFaults(add, withDirectory, output);
};

async function begin({ dataDir, ...settings }: FaultFlags & Fault, output: Output): Promise<void> {
  const { addFault } = await import('../../faults/fault-commands.ts');
  await addFault(resolve(dataDir), settings, output);
}

function addApiFaults(add: Command, withDirectory: (command: Command) => Command, output: Output): void {
  const kind = (name: string, description: string, options: readonly Option[]): void => {
    const command = withDirectory(add.command(name).description(description));
    for (const option of options) command.addOption(option);
    command.action((flags: FaultFlags) => begin({ ...flags, kind: name }, output));
  };
  const resource = new Option('--resource <plural>', 'of this kind only, such as pods');
  const verbs = new Option('--verbs <verb...>', 'of these verbs only').choices([
    'get',
    'list',
    'watch',
    'create',
    'update',
    'patch',
    'delete',
    'deletecollection',
  ]);
  const number = (flags: string, description: string): Option => new Option(flags, description).argParser(numberOf);
  kind('latency', 'The API server answers late.', [
    number('--ms <ms>', 'how late').makeOptionMandatory(),
    number('--jitter-ms <ms>', 'up to this much later, at random'),
    resource,
    verbs,
  ]);
  kind('error', 'The API server refuses.', [
    number('--code <status>', 'HTTP status, 400 to 599').makeOptionMandatory(),
    number('--probability <share>', 'of requests, 0 to 1; all unless given'),
    number('--retry-after-seconds <s>', 'when clients are told to come back'),
    resource,
    verbs,
  ]);
  kind('frozen-watches', 'Watches stay open and say nothing.', [resource]);
  kind('stale-lists', 'Lists show the state of now, from now on.', [resource]);
  kind('cut-watches', 'Every open watch is cut, once.', [resource]);
  kind('expire', 'The API server forgets its past, once: watches from before get 410.', []);
}

function addNodeFaults(add: Command, withDirectory: (command: Command) => Command, output: Output): void {
  const kind = (name: string, description: string): Command => withDirectory(add.command(`${name} <node>`).description(description));
  kind('node-loss', 'A node falls silent.').action((node: string, flags: FaultFlags) =>
    begin({ ...flags, kind: 'node-loss', node }, output),
  );
  kind('gpu-loss', 'GPUs of a node fall off its bus.')
    .addOption(new Option('--count <n>', 'how many').argParser(numberOf).default(1))
    .action((node: string, flags: FaultFlags) => begin({ ...flags, kind: 'gpu-loss', node }, output));
  kind('gpu-xid', 'The driver reports an error (Xid) of GPUs of a node.')
    .addOption(new Option('--code <xid>', 'such as 79, fallen off the bus').argParser(numberOf).default(79))
    .addOption(new Option('--count <n>', 'of how many').argParser(numberOf).default(1))
    .action((node: string, flags: FaultFlags) => begin({ ...flags, kind: 'gpu-xid', node }, output));
  kind('clock-skew', 'The clock of a node is wrong.')
    .addOption(new Option('--by-ms <ms>', 'how far ahead; negative is behind').argParser(numberOf).makeOptionMandatory())
    .action((node: string, flags: FaultFlags) => begin({ ...flags, kind: 'clock-skew', node }, output));
}

function numberOf(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) throw new InvalidArgumentError('a number is needed');
  return number;
}
