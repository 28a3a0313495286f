import { Option } from 'commander';
import type { Resource, Verb } from '../server/resource.ts';
import type { ServerFlags } from '../server/server-flags.ts';
import { outputOption, watchOption } from '../text/show-list.ts';
import type { ExplainFlags } from './explain.ts';
import type { AllocationFlags, GetFlags } from './get-inventory.ts';

const exactOption = new Option('--exact', 'integers: millicores, bytes and devices').default(false);

const list = {
  options: [outputOption('wide', 'json', 'yaml'), exactOption, watchOption()],
  endsWhenInterrupted: true,
} as const;

const explain = (kind: 'node' | 'gpu' | 'class', summary: string): Verb<ExplainFlags> => ({
  args: '<name>',
  summary,
  options: [new Option('-o, --output <format>', 'text, or for programs').choices(['text', 'json', 'yaml']).default('text'), exactOption],
  load: async () => {
    const { explainThing } = await import('./explain.ts');
    return ([name = ''], flags, output) => explainThing(kind, name, flags, output);
  },
});

const getNodes: Verb<GetFlags> = { ...list, args: '[name...]', load: async () => (await import('./get-inventory.ts')).getNodes };

const describeNode: Verb<ServerFlags & { readonly exact: boolean }> = {
  args: '<name>',
  summary: 'A node: its amounts, GPUs, hardware, storage and pods.',
  options: [exactOption],
  load: async () => (await import('./describe-node.ts')).describeNode,
};

export const nodes: Resource = {
  server: 'inventory',
  plural: 'nodes',
  singular: 'node',
  aliases: [],
  summary: 'Nodes: what they have, what is promised, and whether they can be sold.',
  verbs: { get: getNodes, describe: describeNode, explain: explain('node', 'A node.') },
};

const getGpus: Verb<GetFlags> = { ...list, load: async () => (await import('./get-inventory.ts')).getGpus };

export const gpus: Resource = {
  server: 'inventory',
  plural: 'gpus',
  singular: 'gpu',
  aliases: [],
  summary: 'GPUs by model; with -o wide, one by one.',
  verbs: { get: getGpus, explain: explain('gpu', 'A model (h100), vendor/model, or one card by its id.') },
};

const getStorage: Verb<GetFlags> = { ...list, load: async () => (await import('./get-inventory.ts')).getStorage };

export const storage: Resource = {
  server: 'inventory',
  plural: 'storage',
  singular: 'class',
  aliases: [],
  summary: 'Storage classes, and why one is not offered.',
  verbs: { get: getStorage, explain: explain('class', 'A storage class.') },
};

const getAllocations: Verb<AllocationFlags> = {
  ...list,
  options: [
    ...list.options,
    new Option('--node <name>', 'on this node'),
    new Option('-n, --namespace <name>', 'in this namespace'),
    new Option('--lease <key[=value]>', 'with this label of a lease'),
    new Option('--device <id>', 'of this GPU'),
  ],
  load: async () => (await import('./get-inventory.ts')).getAllocations,
};

export const allocations: Resource = {
  server: 'inventory',
  plural: 'allocations',
  singular: 'allocation',
  aliases: [],
  summary: 'Who holds what.',
  verbs: { get: getAllocations },
};
