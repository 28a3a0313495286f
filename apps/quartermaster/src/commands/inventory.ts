import { type Command, Option } from 'commander';
import type { ExplainedKind, ExplainFlags } from '../inventory/run-explain.ts';
import type { GetFlags } from '../inventory/run-get.ts';
import type { Output } from '../text/output.ts';
import { commandNamed } from './command-named.ts';
import { untilInterrupted } from './interruption.ts';
import { exactOption, resolved, withServerOptions } from './inventory-options.ts';

interface AllocationFlags extends GetFlags {
  readonly node?: string;
  readonly namespace?: string;
  readonly lease?: string;
  readonly device?: string;
}

/** `get`, `describe` and `explain`: what the inventory knows, for people and for scripts. */
export function addInventoryCommands(program: Command, output: Output): void {
  addGet(commandNamed(program, 'get', 'List things.'), output);
  addDescribe(commandNamed(program, 'describe', 'Everything about one thing.'), output);
  addExplain(program.command('explain').description('Why something can or cannot be sold, and what would change that.'), output);
}

function addGet(get: Command, output: Output): void {
  const kind = (usage: string, singular: string, description: string): Command =>
    withServerOptions(get.command(usage).alias(singular).description(description))
      .addOption(new Option('-o, --output <format>', 'table, or for programs').choices(['table', 'wide', 'json', 'yaml']).default('table'))
      .addOption(exactOption())
      .option('-w, --watch', 'go on showing it as it changes', false);
  kind('nodes [name...]', 'node', 'Nodes: what they have, what is promised, and whether they can be sold.').action(
    async (names: string[], flags: GetFlags) => {
      const { getNodes } = await import('../inventory/run-get.ts');
      await untilInterrupted((signal) => getNodes(names, resolved(flags, output), output, signal));
    },
  );
  kind('gpus', 'gpu', 'GPUs by model; with -o wide, one by one.').action(async (flags: GetFlags) => {
    const { getGpus } = await import('../inventory/run-get.ts');
    await untilInterrupted((signal) => getGpus(resolved(flags, output), output, signal));
  });
  kind('storage', 'class', 'Storage classes, and why one is not offered.').action(async (flags: GetFlags) => {
    const { getStorage } = await import('../inventory/run-get.ts');
    await untilInterrupted((signal) => getStorage(resolved(flags, output), output, signal));
  });
  kind('allocations', 'allocation', 'Who holds what.')
    .option('--node <name>', 'on this node')
    .option('-n, --namespace <name>', 'in this namespace')
    .option('--lease <key[=value]>', 'with this label of a lease')
    .option('--device <id>', 'of this GPU')
    .action(async ({ node, namespace, lease, device, ...flags }: AllocationFlags) => {
      const { getAllocations } = await import('../inventory/run-get.ts');
      const filter = {
        ...(node === undefined ? {} : { node }),
        ...(namespace === undefined ? {} : { namespace }),
        ...(lease === undefined ? {} : { leaseLabel: lease }),
        ...(device === undefined ? {} : { device }),
      };
      await untilInterrupted((signal) => getAllocations(filter, resolved(flags, output), output, signal));
    });
}

function addDescribe(describe: Command, output: Output): void {
  withServerOptions(describe.command('node <name>').alias('nodes').description('A node: its amounts, GPUs, hardware, storage and pods.'))
    .addOption(exactOption())
    .action(async (name: string, flags: GetFlags) => {
      const { describeNode } = await import('../inventory/run-describe.ts');
      await untilInterrupted(() => describeNode(name, resolved(flags, output), output));
    });
}

function addExplain(explain: Command, output: Output): void {
  const kind = (name: ExplainedKind, plural: string, description: string): void => {
    withServerOptions(explain.command(`${name} <name>`).alias(plural).description(description))
      .addOption(new Option('-o, --output <format>', 'text, or for programs').choices(['text', 'json', 'yaml']).default('text'))
      .addOption(exactOption())
      .action(async (thing: string, flags: ExplainFlags) => {
        const { explainThing } = await import('../inventory/run-explain.ts');
        await untilInterrupted(() => explainThing(name, thing, resolved(flags, output), output));
      });
  };
  kind('node', 'nodes', 'A node.');
  kind('gpu', 'gpus', 'A model (h100), vendor/model, or one card by its id.');
  kind('class', 'storage', 'A storage class.');
}
