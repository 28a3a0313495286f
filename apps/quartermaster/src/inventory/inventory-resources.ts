import { Option } from 'commander';
import type { Resource, Verb } from '../server/resource.ts';
import type { ServerFlags } from '../server/server-flags.ts';
import { outputOption, watchOption } from '../text/show-list.ts';
import type { ExplainFlags } from './explain.ts';
import type { AllocationFlags, GetFlags } from './get-inventory.ts';

const resource = (plural: string, singular: string, summary: string, verbs: Resource['verbs'], names?: Resource['names']): Resource => ({
  server: 'inventory',
  plural,
  singular,
  aliases: [],
  summary,
  verbs,
  names,
});

const exactOption = new Option('--exact', 'print exact integers: millicores, bytes and devices').default(false);

const list = {
  options: [outputOption('wide', 'json', 'yaml'), exactOption, watchOption()],
  endsWhenInterrupted: true,
} as const;

const explain = (kind: 'node' | 'gpu' | 'class', summary: string): Verb<ExplainFlags> => ({
  args: '<name>',
  summary,
  options: [new Option('-o, --output <format>', 'output format').choices(['text', 'json', 'yaml']).default('text'), exactOption],
  load: async () => (await import('./explain.ts')).explainThing(kind),
});

const getNodes: Verb<GetFlags> = { ...list, args: '[name...]', load: async () => (await import('./get-inventory.ts')).getNodes };

const describeNode: Verb<ServerFlags & { readonly exact: boolean }> = {
  args: '<name>',
  summary: 'A node: its amounts, GPUs, hardware, storage and pods.',
  options: [exactOption],
  load: async () => (await import('./describe-node.ts')).describeNode,
};

export const nodes = resource(
  'nodes',
  'node',
  'Nodes: what they have, what is allocated, and whether they are sellable.',
  {
    get: getNodes,
    describe: describeNode,
    explain: explain('node', 'A node.'),
  },
  async () => (await import('./inventory-names.ts')).nodeNames,
);

const getGpus: Verb<GetFlags> = { ...list, load: async () => (await import('./get-inventory.ts')).getGpus };

export const gpus = resource(
  'gpus',
  'gpu',
  'GPUs by model; with -o wide, one by one.',
  {
    get: getGpus,
    explain: explain('gpu', 'A model (h100), vendor/model, or one card by its id.'),
  },
  async () => (await import('./inventory-names.ts')).gpuNames,
);

const getStorage: Verb<GetFlags> = { ...list, load: async () => (await import('./get-inventory.ts')).getStorage };

export const storage = resource(
  'storage',
  'class',
  'Storage classes, and why one is not offered.',
  {
    get: getStorage,
    explain: explain('class', 'A storage class.'),
  },
  async () => (await import('./inventory-names.ts')).classNames,
);

const getAllocations: Verb<AllocationFlags> = {
  ...list,
  options: [
    ...list.options,
    new Option('--node <name>', 'only pods on this node'),
    new Option('-n, --namespace <name>', 'only pods in this namespace'),
    new Option('--lease <key[=value]>', 'only pods with this lease label'),
    new Option('--device <id>', 'only the pod that holds this GPU'),
  ],
  load: async () => (await import('./get-inventory.ts')).getAllocations,
};

export const allocations = resource('allocations', 'allocation', 'Allocations: which pods hold which resources.', { get: getAllocations });
