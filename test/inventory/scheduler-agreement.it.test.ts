import { readFileSync } from 'node:fs';
import { Inventory } from '@quartermaster/inventory';
import { silentLog, systemClock, systemRandom } from '@quartermaster/kernel';
import { type Cache, cacheOpener, KubeClient, kinds, podRequests, startCache } from '@quartermaster/kube';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { kubeBinary } from '../kube/binaries.ts';
import { type ControlPlane, startControlPlane } from '../kube/control-plane.ts';
import { Oracle } from '../kube/vectors/oracle.ts';
import { corpusInputs } from './scheduler/corpus-inputs.ts';
import { type CorpusEntry, type CorpusPod, type CorpusSpec, corpusPods } from './scheduler/corpus-pod.ts';
import { countedBy, sumOf } from './scheduler/counted-by.ts';
import { allocatedOn, comparable, lackingOn } from './scheduler/fitting.ts';
import { type RandomCluster, randomClusters } from './scheduler/random-cluster.ts';
import { addNamespace, addNode, nodeOf, submitCorpus } from './scheduler/submit-corpus.ts';

const patience = { timeout: 40_000, interval: 5 };
const namespace = 'random';
const runs = 10;
const corpus = JSON.parse(readFileSync(new URL('./scheduler/corpus.json', import.meta.url), 'utf8')) as readonly CorpusEntry[];

/** What the scheduler said of a pod. */
interface Verdict {
  readonly node: string | undefined;
  readonly message: string | undefined;
}

let controlPlane: ControlPlane;
let client: KubeClient;
let inventory: Inventory;
let verdicts: Cache<Verdict>;
const oracle = new Oracle(kubeBinary('kube-oracle'));

beforeAll(async () => {
  // Without controllers nobody taints nodes that have no kubelet.
  controlPlane = await startControlPlane({ controllers: false });
  client = await KubeClient.connect({ kubeconfig: controlPlane.kubeconfig });
  const context = { clock: systemClock, random: systemRandom, log: silentLog };
  inventory = await Inventory.start({ client, caches: cacheOpener(client, context), namespace: 'default', ...context });
  await addNamespace(client, namespace);
  verdicts = startCache(client, { type: corpusPods, namespace, project: verdictOf });
});

afterAll(async () => {
  await verdicts?.stop();
  await inventory?.stop();
  await client?.close();
  await controlPlane?.stop();
});

function verdictOf({ spec, status }: CorpusPod): Verdict {
  return { node: spec.nodeName, message: status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message };
}

function viewOf(node: string) {
  const view = inventory.ledger.nodeView(node);
  if (view === undefined) throw new Error(`the inventory does not know ${node}`);
  return view;
}

describe('the corpus of pods', () => {
  it('has at least 200, of which every input is one', () => {
    expect(corpus.map(({ counted: _, ...entry }) => entry)).toEqual(JSON.parse(JSON.stringify([...corpusInputs()])));
    expect(corpus.length).toBeGreaterThanOrEqual(200);
  });

  it('is allocated on the nodes as the scheduler counts it', async () => {
    const stored = await submitCorpus(client, corpus);
    expect(countedBy(oracle, stored)).toEqual(corpus.map(({ counted }) => counted));
    await vi.waitFor(() => {
      const allocated = corpus.map((entry) => ({ name: entry.name, ...allocatedOn(viewOf(nodeOf(entry))) }));
      expect(allocated).toEqual(corpus.map(({ name, counted }) => ({ name, ...comparable(counted) })));
    }, patience);
  });
});

describe('the scheduler and the inventory', () => {
  let made = 0;
  let refusedByPods = 0;

  /** Puts a pod in, and checks that the scheduler decides what the inventory says. */
  async function submit(nodes: readonly string[], spec: CorpusSpec, only: string | undefined): Promise<string | undefined> {
    made += 1;
    const name = `pod-${made}`;
    const requests = podRequests(await client.create(corpusPods, { metadata: { namespace, name }, spec }, { dryRun: true }));
    const lacking = new Map((only === undefined ? nodes : [only]).map((node) => [node, lackingOn(viewOf(node), requests)]));
    const fitting = [...lacking].filter(([, resources]) => resources.length === 0).map(([node]) => node);
    const place = only === undefined ? onOneOf(nodes) : { nodeSelector: { 'kubernetes.io/hostname': only } };
    await client.create(corpusPods, { metadata: { namespace, name }, spec: { ...spec, ...place } });
    const verdict = (): Verdict | undefined => verdicts.get(`${namespace}/${name}`)?.value;
    if (fitting.length === 0) {
      const expected = [...new Set([...lacking.values()].flat())].toSorted();
      await vi.waitFor(
        () => expect({ ...verdict(), insufficient: insufficient(verdict()) }).toMatchObject({ insufficient: expected }),
        patience,
      );
      expect(verdict()?.node).toBeUndefined();
      if (expected.includes('pods')) refusedByPods += 1;
      await client.delete(corpusPods, { namespace, name }, { gracePeriodSeconds: 0 });
      return undefined;
    }
    await vi.waitFor(() => expect(fitting).toContain(verdict()?.node), patience);
    await vi.waitFor(() => expect(inventory.sources.pods.get(`${namespace}/${name}`)?.value.node).toBe(verdict()?.node), patience);
    return name;
  }

  async function end(name: string): Promise<void> {
    await client.delete(corpusPods, { namespace, name }, { gracePeriodSeconds: 0 });
    await vi.waitFor(() => expect(inventory.sources.pods.get(`${namespace}/${name}`)).toBeUndefined(), patience);
  }

  async function expectAgreement(nodes: readonly string[]): Promise<void> {
    const { items } = await client.list(corpusPods, { namespace });
    const counted = countedBy(oracle, items);
    for (const node of nodes) {
      const there = counted.filter((_, i) => items[i]?.spec.nodeName === node);
      expect({ node, ...allocatedOn(viewOf(node)) }).toEqual({ node, ...comparable(sumOf(there)) });
    }
  }

  it('agree on where random pods fit on random nodes', async () => {
    const outcomes = { placed: 0, refused: 0, alone: 0 };
    let round = 0;
    const play = async ({ nodes: resources, steps }: RandomCluster): Promise<void> => {
      round += 1;
      const nodes = resources.map((_, i) => `round-${round}-${i}`);
      await Promise.all(nodes.map((node, i) => addNode(client, node, resources[i] ?? {})));
      await vi.waitFor(() => expect(nodes.map((node) => viewOf(node).sellability.state)).toEqual(nodes.map(() => 'sellable')), patience);
      const running: string[] = [];
      for (const step of steps) {
        if (step.kind === 'end') {
          const [name] = running.splice(step.which % Math.max(running.length, 1), 1);
          if (name !== undefined) await end(name);
          continue;
        }
        const name = await submit(nodes, step.spec, step.only === undefined ? undefined : nodes[step.only % nodes.length]);
        if (name === undefined) outcomes.refused += 1;
        else {
          running.push(name);
          outcomes.placed += 1;
          if (step.only !== undefined) outcomes.alone += 1;
        }
        await expectAgreement(nodes);
      }
      await Promise.all(running.map(end));
      await Promise.all(nodes.map((name) => client.delete(kinds.nodes, { name })));
    };
    await fc.assert(fc.asyncProperty(randomClusters, play), { numRuns: runs, seed: 20_261, endOnFailure: true });
    expect(outcomes.placed).toBeGreaterThan(runs * 3);
    expect(outcomes.refused).toBeGreaterThan(runs);
    expect(outcomes.alone).toBeGreaterThan(runs);
    expect(refusedByPods).toBeGreaterThan(runs / 2);
    expect(inventory.ledger.drifts).toBe(0);
  }, 240_000);
});

/** The scheduler may not have heard yet that the nodes of the round before are gone. */
function onOneOf(nodes: readonly string[]): object {
  const nodeSelectorTerms = [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: nodes }] }];
  return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } };
}

/** Of what the scheduler says that nodes have too little. */
function insufficient(verdict: Verdict | undefined): readonly string[] {
  const said = (verdict?.message ?? '').matchAll(/Insufficient (\S+?)[,.](?= |$)|Too many (pods)/g);
  return [...new Set([...said].map(([, resource, pods]) => resource ?? pods ?? ''))].toSorted();
}
