import { type KubeClient, type KubeObject, kinds, resourceType } from '@quartermaster/kube';
import type { Node } from '@quartermaster/kube/shapes';
import { runtimeOverheads } from './corpus-inputs.ts';
import { type CorpusEntry, type CorpusPod, corpusNamespace, corpusPods } from './corpus-pod.ts';

const runtimeClasses = resourceType<KubeObject & { readonly handler: string; readonly overhead: { readonly podFixed: object } }>({
  group: 'node.k8s.io',
  version: 'v1',
  kind: 'RuntimeClass',
  plural: 'runtimeclasses',
  namespaced: false,
});

const atOnce = 8;

/** A namespace in which pods may be made although no controller gives it an account. */
export async function addNamespace(client: KubeClient, name: string): Promise<void> {
  await client.create(kinds.namespaces, { metadata: { name } });
  await client.create(kinds.serviceAccounts, { metadata: { namespace: name, name: 'default' } });
}

/** A node that is ready for pods, as a kubelet would report it. */
export async function addNode(client: KubeClient, name: string, resources: Readonly<Record<string, string>>): Promise<void> {
  const time = '2026-01-01T00:00:00Z';
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', lastHeartbeatTime: time, lastTransitionTime: time };
  const status: Node['status'] = { capacity: resources, allocatable: resources, conditions: [ready] };
  await client.create(kinds.nodes, { metadata: { name, labels: { 'kubernetes.io/hostname': name } }, status });
  // The server taints nodes that register, until a controller finds them ready.
  await client.patch(kinds.nodes, { name }, { kind: 'merge', body: { spec: { taints: null } } });
}

export const nodeOf = ({ name }: Pick<CorpusEntry, 'name'>): string => `node-${name}`;

/** Puts every pod of the corpus on a node of its own. Gives what the server stored, in the order of the corpus. */
export async function submitCorpus(client: KubeClient, corpus: readonly Omit<CorpusEntry, 'counted'>[]): Promise<readonly CorpusPod[]> {
  await addNamespace(client, corpusNamespace);
  for (const [name, podFixed] of Object.entries(runtimeOverheads)) {
    await client.create(runtimeClasses, { metadata: { name }, handler: name, overhead: { podFixed } });
  }
  const stored: CorpusPod[] = [];
  for (let start = 0; start < corpus.length; start += atOnce) {
    stored.push(...(await Promise.all(corpus.slice(start, start + atOnce).map((entry) => submit(client, entry)))));
  }
  return stored;
}

async function submit(client: KubeClient, entry: Omit<CorpusEntry, 'counted'>): Promise<CorpusPod> {
  const { name, spec, status } = entry;
  const nodeName = nodeOf(entry);
  // Cordoned: the scheduler of the control plane has other pods to place.
  await client.create(kinds.nodes, { metadata: { name: nodeName }, spec: { unschedulable: true } });
  const made = await client.create(corpusPods, { metadata: { namespace: corpusNamespace, name }, spec: { ...spec, nodeName } });
  if (status === undefined) return made;
  return await client.patch(
    corpusPods,
    { namespace: corpusNamespace, name },
    { kind: 'merge', body: { status } },
    { subresource: 'status' },
  );
}
