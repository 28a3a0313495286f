import { FakeClock } from '@quartermaster/kernel';
import type { CacheEntry, CacheListener, CacheStatus } from '@quartermaster/kube';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClusterView, type ViewedCache } from './cluster-view.ts';
import { type NodeFacts, nodeFacts } from './console-node.ts';
import type { HeartbeatFacts, PodFacts } from './read-facts.ts';

class ScriptedCache<P> implements ViewedCache<P> {
  readonly #values = new Map<string, P>();
  #listener: CacheListener<P> = {};
  state: CacheStatus['state'] = 'watching';
  synced = true;
  lastContactAt = 0;

  set(key: string, value: P): void {
    const before = this.#values.get(key);
    this.#values.set(key, value);
    if (before === undefined) this.#listener.added?.(entry(key, value));
    else this.#listener.updated?.(entry(key, value), entry(key, before));
  }

  delete(key: string): void {
    const before = this.#values.get(key);
    if (before === undefined || !this.#values.delete(key)) return;
    this.#listener.deleted?.(entry(key, before));
  }

  values(): readonly P[] {
    return [...this.#values.values()];
  }

  subscribe(listener: CacheListener<P>): () => void {
    this.#listener = listener;
    return () => {
      this.#listener = {};
    };
  }

  status(): CacheStatus {
    const { state, synced, lastContactAt } = this;
    const counters = { lists: 0, watches: 0, events: 0, bookmarks: 0, expirations: 0, silences: 0, errors: 0, handlerErrors: 0 };
    return {
      state,
      synced,
      absent: false,
      lastContactAt,
      staleMs: 0,
      resourceVersion: '1',
      lastError: undefined,
      objects: this.#values.size,
      counters,
    };
  }
}

const entry = <P>(key: string, value: P): CacheEntry<P> => ({ key, uid: key, resourceVersion: '1', value });

function start() {
  const clock = new FakeClock();
  const nodes = new ScriptedCache<NodeFacts>();
  const pods = new ScriptedCache<PodFacts>();
  let changes = 0;
  const heartbeats = new ScriptedCache<HeartbeatFacts>();
  const view = new ClusterView({ nodes, pods, heartbeats, clock, changed: () => (changes += 1) });
  return { clock, nodes, pods, heartbeats, view, changes: () => changes };
}

const everything = { page: 0, size: 100 };

const pod = (name: string, phase: string, node?: string): PodFacts => ({ namespace: 'default', name, phase, node, stampedAt: 5 });

describe('ClusterView', () => {
  it('is unknown, not empty, until both kinds have been read', () => {
    const { nodes, pods, view } = start();
    pods.synced = false;
    expect(view.current()).toBeUndefined();
    expect(view.pods(everything)).toBeUndefined();
    pods.synced = true;
    nodes.synced = false;
    expect(view.current()).toBeUndefined();
    nodes.synced = true;
    expect(view.current()).toEqual({ observedAt: 0, nodes: [], podsByPhase: {} });
  });

  it('counts pods by phase and by node as a walk over all of them would', () => {
    const change = fc.record({
      name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      phase: fc.constantFrom('Pending', 'Running', 'Failed', undefined),
      node: fc.constantFrom('n1', 'n2', undefined),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const { nodes, pods, view } = start();
        for (const name of ['n1', 'n2']) nodes.set(name, nodeFacts({ metadata: { name } }));
        for (const { name, phase, node } of changes) {
          if (phase === undefined) pods.delete(`default/${name}`);
          else pods.set(`default/${name}`, pod(name, phase, node));
        }
        const all = pods.values();
        const countBy = (keyOf: (each: PodFacts) => string | undefined): Map<string | undefined, number> =>
          new Map([...Map.groupBy(all, keyOf)].map(([key, group]) => [key, group.length]));
        const current = view.current();
        expect(new Map(Object.entries(current?.podsByPhase ?? {}))).toEqual(countBy(({ phase }) => phase));
        const onNode = countBy(({ node }) => node);
        expect(current?.nodes.map(({ name, pods: count }) => [name, count])).toEqual(
          ['n1', 'n2'].map((name) => [name, onNode.get(name) ?? 0]),
        );
        expect(view.pods(everything)?.pods).toHaveLength(all.length);
      }),
    );
  });

  it('dates what was already there by its own stamps, and what happens from then on by the clock', () => {
    const { clock, pods, view } = start();
    pods.synced = false;
    pods.set('default/old', pod('old', 'Running', 'n1'));
    pods.synced = true;
    pods.set('default/new', pod('new', 'Pending'));
    expect(view.pods(everything)?.pods).toEqual([
      { namespace: 'default', name: 'new', phase: 'Pending', changedAt: clock.now() },
      { namespace: 'default', name: 'old', phase: 'Running', node: 'n1', changedAt: 5 },
    ]);
  });

  it('takes the heartbeat of a node from its lease', () => {
    const { nodes, heartbeats, view } = start();
    nodes.set('n1', nodeFacts({ metadata: { name: 'n1' } }));
    expect(view.current()?.nodes[0]).toMatchObject({ heartbeatAt: undefined });
    heartbeats.set('kube-node-lease/n1', { node: 'n1', renewedAt: 7 });
    expect(view.current()?.nodes[0]?.heartbeatAt).toBe(7);
    heartbeats.set('kube-node-lease/n1', { node: 'n1', renewedAt: 9 });
    expect(view.current()?.nodes[0]?.heartbeatAt).toBe(9);
    heartbeats.delete('kube-node-lease/n1');
    expect(view.current()?.nodes[0]).toMatchObject({ heartbeatAt: undefined });
  });

  it('gives nodes that did not change as the same objects, so that comparing 5 000 of them costs next to nothing', () => {
    const { nodes, pods, heartbeats, view } = start();
    for (const name of ['n1', 'n2']) nodes.set(name, nodeFacts({ metadata: { name } }));
    const before = view.current()?.nodes;
    expect(view.current()?.nodes).toBe(before);
    heartbeats.set('kube-node-lease/n1', { node: 'n1', renewedAt: 7 });
    pods.set('default/a', pod('a', 'Pending'));
    const after = view.current()?.nodes;
    expect(after?.[0]).not.toBe(before?.[0]);
    expect(after?.[1]).toBe(before?.[1]);
  });

  it('takes an answer of the server for confirmation only while the watches are open', async () => {
    const { clock, nodes, pods, view } = start();
    await clock.advance(60_000);
    view.confirm();
    expect(view.current()?.observedAt).toBe(clock.now());
    nodes.state = 'reconnecting';
    nodes.lastContactAt = 7;
    pods.lastContactAt = 9;
    expect(view.current()?.observedAt).toBe(7);
  });

  it('hears nothing more after it was stopped', () => {
    const { nodes, view, changes } = start();
    view.stop();
    nodes.set('n1', nodeFacts({ metadata: { name: 'n1' } }));
    expect(changes()).toBe(0);
  });
});
