/** Informers of @kubernetes/client-node, and the whole inventory computed anew from what they hold, at most every 50 ms, as often as ours. */
import { CoreV1Api, KubeConfig, makeInformer, type V1Node, type V1Pod } from '@kubernetes/client-node';
import { Probe } from './probe.ts';
import { podLabel } from './protocol.ts';

interface NodeAmounts {
  cpu: number;
  memory: number;
  storage: number;
  pods: number;
}

const pollIntervalMs = 50;
const [kubeconfig = ''] = process.argv.slice(2);
const probe = new Probe();
const config = new KubeConfig();
config.loadFromFile(kubeconfig);
const api = config.makeApiClient(CoreV1Api);
const nodes = makeInformer<V1Node>(config, '/api/v1/nodes', () => api.listNode());
const pods = makeInformer<V1Pod>(config, '/api/v1/pods', () => api.listPodForAllNamespaces());

const factors: Readonly<Record<string, number>> = {
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

function scalar(quantity: string): number {
  const suffix = quantity.replace(/^[\d.]+/, '');
  return Number.parseFloat(quantity) * (suffix === '' ? 1 : (factors[suffix] ?? Number.NaN));
}

/** What is published: node -> what is available on it. */
let inventory = new Map<string, NodeAmounts>();

function recompute(): void {
  const available = new Map<string, NodeAmounts>();
  for (const { metadata, status } of nodes.list()) {
    const { cpu = '0', memory = '0', 'ephemeral-storage': storage = '0' } = status?.allocatable ?? {};
    available.set(metadata?.name ?? '', {
      cpu: scalar(cpu),
      memory: scalar(memory),
      storage: scalar(storage),
      pods: 0,
    });
  }
  for (const { spec, status } of pods.list()) {
    const node = available.get(spec?.nodeName ?? '');
    if (node === undefined || status?.phase === 'Succeeded' || status?.phase === 'Failed') continue;
    node.pods += 1;
    for (const { resources } of spec?.containers ?? []) {
      const { cpu = '0', memory = '0', 'ephemeral-storage': storage = '0' } = resources?.requests ?? {};
      node.cpu -= scalar(cpu);
      node.memory -= scalar(memory);
      node.storage -= scalar(storage);
    }
  }
  inventory = available;
  probe.published();
}

let isDirty = false;
const failed = (error: unknown): void => {
  console.error(error);
  process.exit(1);
};
pods.on('error', failed);
nodes.on('error', failed);
await nodes.start();
await pods.start();
recompute();
if (inventory.size === 0) failed(new Error('the cluster has no nodes'));
probe.ready();
const changed =
  (kind: 'added' | 'deleted') =>
  ({ metadata }: V1Pod): void => {
    probe.event(kind, metadata?.labels?.[podLabel]);
    isDirty = true;
  };
pods.on('add', changed('added'));
pods.on('delete', changed('deleted'));
setInterval(() => {
  if (!isDirty) return;
  isDirty = false;
  recompute();
}, pollIntervalMs);
