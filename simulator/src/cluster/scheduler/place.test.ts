import type { Pod, Taint, Toleration } from '@quartermaster/kube/shapes';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { workloadPod } from '../pods/workload-pod.ts';
import { ClusterState } from './cluster-state.ts';
import { viewNode } from './node-room.ts';
import { place } from './place.ts';

interface NodeFacts {
  readonly name: string;
  readonly cpu: number;
  readonly gpus: number;
  readonly pods: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly unschedulable: boolean;
}

interface PodFacts {
  readonly cpu: number;
  readonly gpus: number;
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly Toleration[];
}

const nodeOf = ({ name, cpu, gpus, pods, labels, taints, unschedulable }: NodeFacts) =>
  viewNode({
    metadata: { name, labels: { ...labels, host: name } },
    spec: { taints: [...taints], unschedulable },
    status: { allocatable: { cpu: String(cpu), 'nvidia.com/gpu': String(gpus), pods: String(pods) } },
  });

function podOf(name: string, facts: PodFacts, nodeName?: string): Pod {
  return {
    metadata: { namespace: 'default', name },
    spec: {
      ...(nodeName === undefined ? {} : { nodeName }),
      nodeSelector: { ...facts.nodeSelector },
      tolerations: [...facts.tolerations],
      containers: [
        {
          name: 'main',
          resources: { requests: { cpu: `${facts.cpu}m`, ...(facts.gpus === 0 ? {} : { 'nvidia.com/gpu': String(facts.gpus) }) } },
        },
      ],
    },
  };
}

/** Written as plainly as possible: looks at raw facts, keeps nothing, knows nothing of the code under test. */
function fitsPlainly(pod: PodFacts, node: NodeFacts, placed: readonly (readonly [PodFacts, NodeFacts])[]): boolean {
  const here = placed.filter(([, on]) => on.name === node.name).map(([other]) => other);
  const sum = (amount: (facts: PodFacts) => number): number => here.reduce((total, other) => total + amount(other), amount(pod));
  if (node.unschedulable) return false;
  if (node.taints.some(({ key, effect }) => effect === 'NoSchedule' && !pod.tolerations.some((toleration) => toleration.key === key)))
    return false;
  if (Object.entries(pod.nodeSelector).some(([key, value]) => node.labels[key] !== value)) return false;
  return here.length + 1 <= node.pods && sum(({ cpu }) => cpu) <= node.cpu * 1000 && sum(({ gpus }) => gpus) <= node.gpus;
}

const anyNode = fc.record({
  cpu: fc.integer({ min: 1, max: 4 }),
  gpus: fc.integer({ min: 0, max: 4 }),
  pods: fc.integer({ min: 1, max: 5 }),
  labels: fc.oneof(fc.constant({}), fc.record({ zone: fc.constantFrom('north', 'south') })),
  taints: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.constant([{ key: 'reserved', effect: 'NoSchedule' }]) },
  ),
  unschedulable: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});
const anyPod: fc.Arbitrary<PodFacts> = fc.record({
  cpu: fc.integer({ min: 0, max: 2500 }),
  gpus: fc.integer({ min: 0, max: 3 }),
  nodeSelector: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: fc.constant({ zone: 'north' }) }),
  tolerations: fc.oneof(fc.constant([]), fc.constant([{ key: 'reserved', operator: 'Exists' }])),
});

describe('place', () => {
  it('puts pods exactly where a plain reading of the rules allows one', () => {
    fc.assert(
      fc.property(fc.array(anyNode, { maxLength: 5 }), fc.array(anyPod, { maxLength: 20 }), (nodeFacts, podFacts) => {
        const nodes = nodeFacts.map((facts, index) => ({ ...facts, name: `node-${index}` }));
        const state = new ClusterState();
        for (const node of nodes) state.putNode(nodeOf(node));
        const placed: [PodFacts, NodeFacts][] = [];
        for (const [index, facts] of podFacts.entries()) {
          const pod = workloadPod(podOf(`pod-${index}`, facts));
          const allowed = nodes.filter((node) => fitsPlainly(facts, node, placed)).map(({ name }) => name);
          const placement = place(pod, state.rooms);
          if (allowed.length === 0) {
            expect(placement.kind).toBe('nowhere');
            continue;
          }
          expect(allowed).toContain(placement.kind === 'node' ? placement.node : placement.message);
          const node = nodes.find(({ name }) => placement.kind === 'node' && name === placement.node);
          if (node === undefined) continue;
          state.assume(`default/pod-${index}`, pod, node.name);
          placed.push([facts, node]);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('comes to the same whether pods were assumed first or told by the server', () => {
    fc.assert(
      fc.property(
        fc.array(anyNode, { minLength: 1, maxLength: 4 }),
        fc.array(anyPod, { minLength: 1, maxLength: 10 }),
        anyPod,
        (nodeFacts, before, next) => {
          const nodes = nodeFacts.map((facts, index) => nodeOf({ ...facts, name: `node-${index}` }));
          const [assumed, told] = [new ClusterState(), new ClusterState()];
          for (const node of nodes) assumed.putNode(node);
          for (const [index, facts] of before.entries()) {
            const key = `default/pod-${index}`;
            const pending = workloadPod(podOf(key, facts));
            const placement = place(pending, assumed.rooms);
            if (placement.kind === 'nowhere') continue;
            const bound = workloadPod(podOf(key, facts, placement.node));
            assumed.assume(key, pending, placement.node);
            assumed.putPod(key, bound);
            told.putPod(key, bound);
          }
          for (const node of nodes) told.putNode(node);
          const pod = workloadPod(podOf('next', next));
          expect(place(pod, told.rooms)).toEqual(place(pod, assumed.rooms));
        },
      ),
    );
  });

  it('says why a pod fits nowhere, as Kubernetes words it', () => {
    const state = new ClusterState();
    const plain = { cpu: 1, gpus: 1, pods: 10, labels: {}, taints: [], unschedulable: false };
    state.putNode(nodeOf({ ...plain, name: 'small' }));
    state.putNode(nodeOf({ ...plain, name: 'tainted', taints: [{ key: 'reserved', effect: 'NoSchedule' }] }));
    state.putNode(nodeOf({ ...plain, name: 'cordoned', unschedulable: true }));
    const wish = { cpu: 2000, gpus: 2, nodeSelector: {}, tolerations: [] };
    expect(place(workloadPod(podOf('pod', wish)), state.rooms)).toEqual({
      kind: 'nowhere',
      message:
        '0/3 nodes are available: 1 Insufficient cpu, 1 Insufficient nvidia.com/gpu, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable.',
    });
    expect(place(workloadPod(podOf('pod', wish)), [])).toEqual({ kind: 'nowhere', message: 'no nodes available to schedule pods' });
  });

  it('prefers emptier nodes', () => {
    const state = new ClusterState();
    const plain = { cpu: 4, gpus: 0, pods: 10, labels: {}, taints: [], unschedulable: false };
    const wish = { cpu: 1000, gpus: 0, nodeSelector: {}, tolerations: [] };
    for (const name of ['one', 'two']) state.putNode(nodeOf({ ...plain, name }));
    state.assume('default/first', workloadPod(podOf('first', wish)), 'one');
    expect(place(workloadPod(podOf('pod', wish)), state.rooms)).toEqual({ kind: 'node', node: 'two' });
  });

  it('puts a pod on the one node that its required term names by its name, or nowhere, whatever else the term asks for', () => {
    const state = new ClusterState();
    const plain = { cpu: 4, gpus: 0, pods: 10, taints: [], unschedulable: false };
    const wish = { cpu: 3000, gpus: 0, nodeSelector: {}, tolerations: [] };
    for (const name of ['one', 'two', 'three'])
      state.putNode(nodeOf({ ...plain, name, labels: { zone: name === 'three' ? 'south' : 'north' } }));
    const pinned = (name: string) => {
      const pod = podOf('pod', wish);
      const term = {
        matchExpressions: [{ key: 'zone', operator: 'In', values: ['north'] }],
        matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }],
      };
      const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } };
      return place(workloadPod({ ...pod, spec: { containers: [], ...pod.spec, affinity } }), state.rooms);
    };
    expect(pinned('two')).toEqual({ kind: 'node', node: 'two' });
    expect(pinned('three')).toEqual({
      kind: 'nowhere',
      message: "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.",
    });
    state.assume('default/other', workloadPod(podOf('other', wish)), 'two');
    expect(pinned('two')).toEqual({
      kind: 'nowhere',
      message: "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't match Pod's node affinity/selector.",
    });
    state.removePod('default/other');
    expect(pinned('two')).toEqual({ kind: 'node', node: 'two' });
  });
});
