import { FakeClock, silentLog } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import type { ConsoleSnapshot, ConsoleSource } from '../console-source.ts';
import { applyPatch } from '../snapshot-patch.ts';
import { aliveEveryMs, type StreamMessage } from '../stream-message.ts';
import { SnapshotFeed } from './snapshot-feed.ts';

const base: ConsoleSnapshot = {
  installation: { version: '1', startedAt: 0, kubernetes: 'given', server: 's', kubeconfig: 'k' },
  parts: [],
  cluster: {
    observedAt: 0,
    nodes: Array.from({ length: 100 }, (_, index) => ({
      name: `n${index}`,
      isReady: true,
      state: 'Ready',
      cpuMillis: 1,
      memoryBytes: 1,
      gpus: {},
      pods: 0,
    })),
    podsByPhase: {},
    recentPods: [],
  },
};

class Source implements ConsoleSource {
  snapshot = base;
  changed: (() => void) | undefined;
  error: Error | undefined;
  current(): ConsoleSnapshot {
    if (this.error !== undefined) throw this.error;
    return this.snapshot;
  }
  subscribe(changed: () => void): () => void {
    this.changed = changed;
    return () => {
      this.changed = undefined;
    };
  }
  setPods(pods: number): void {
    const { cluster } = this.snapshot;
    if (cluster === undefined) throw new Error('the base has a cluster');
    const nodes = cluster.nodes.map((node) => (node.name === 'n7' ? { ...node, pods } : node));
    this.snapshot = { ...this.snapshot, cluster: { ...cluster, nodes, observedAt: pods } };
    this.changed?.();
  }
}

class Client {
  readonly messages: StreamMessage[] = [];
  canTake = true;
  write(text: string): boolean {
    const data = /^data: (.*)$/m.exec(text)?.[1] ?? '';
    this.messages.push(JSON.parse(data) as StreamMessage);
    return this.canTake;
  }
  get kinds(): string[] {
    return this.messages.map(({ kind }) => kind);
  }
  /** The snapshot that a page would hold after all this. */
  get seen(): ConsoleSnapshot | undefined {
    return this.messages.reduce<ConsoleSnapshot | undefined>((seen, message) => {
      if (message.kind === 'snapshot') return message.snapshot;
      return message.kind === 'patch' && seen !== undefined ? applyPatch(seen, message.patch) : seen;
    }, undefined);
  }
}

function start() {
  const clock = new FakeClock();
  const source = new Source();
  return { clock, source, feed: new SnapshotFeed(source, clock, silentLog) };
}

describe('the feed of snapshots', () => {
  it('starts with everything and then sends only the nodes that changed', async () => {
    const { clock, source, feed } = start();
    const client = new Client();
    feed.subscribe(client);
    source.setPods(3);
    await clock.advance(250);
    expect(client.kinds).toEqual(['snapshot', 'patch']);
    const patch = client.messages[1];
    expect(patch?.kind === 'patch' && patch.patch.cluster?.changedNodes?.map(({ name }) => name)).toEqual(['n7']);
    expect(client.seen).toEqual(source.snapshot);
  });

  it('makes one message of many changes in a row', async () => {
    const { clock, source, feed } = start();
    const client = new Client();
    feed.subscribe(client);
    for (let pods = 1; pods <= 50; pods += 1) source.setPods(pods);
    await clock.advance(250);
    expect(client.kinds).toEqual(['snapshot', 'patch']);
    expect(client.seen?.cluster?.nodes[7]?.pods).toBe(50);
  });

  it('queues nothing for a slow page and brings it to the newest state once it can take more', async () => {
    const { clock, source, feed } = start();
    const [slow, quick] = [new Client(), new Client()];
    slow.canTake = false;
    const subscription = feed.subscribe(slow);
    feed.subscribe(quick);
    for (let pods = 1; pods <= 5; pods += 1) {
      source.setPods(pods);
      await clock.advance(250);
    }
    expect(slow.kinds).toEqual(['snapshot']);
    expect(quick.kinds).toHaveLength(6);
    slow.canTake = true;
    subscription.resume();
    expect(slow.kinds).toEqual(['snapshot', 'patch']);
    expect(slow.seen).toEqual(source.snapshot);
  });

  it('says that it is alive when nothing changes', async () => {
    const { clock, feed } = start();
    const client = new Client();
    feed.subscribe(client);
    await clock.advance(aliveEveryMs);
    await clock.advance(aliveEveryMs);
    expect(client.kinds).toEqual(['snapshot', 'alive', 'alive']);
  });

  it('notices what changed without being told', async () => {
    const { clock, source, feed } = start();
    const client = new Client();
    feed.subscribe(client);
    source.snapshot = { ...base, cluster: { observedAt: 99, nodes: base.cluster?.nodes ?? [], podsByPhase: {}, recentPods: [] } };
    await clock.advance(aliveEveryMs);
    expect(client.seen?.cluster?.observedAt).toBe(99);
  });

  it('outlives a source that throws: pages keep what they have and hear that the server lives', async () => {
    const { clock, source, feed } = start();
    const client = new Client();
    feed.subscribe(client);
    source.error = new Error('not now');
    await clock.advance(aliveEveryMs);
    expect(client.kinds).toEqual(['snapshot', 'alive']);
    source.error = undefined;
    source.setPods(4);
    await clock.advance(250);
    expect(client.seen).toEqual(source.snapshot);
  });

  it('tells nobody anything after it was closed', async () => {
    const { clock, source, feed } = start();
    const client = new Client();
    feed.subscribe(client);
    source.setPods(1);
    feed.close();
    await clock.advance(10 * aliveEveryMs);
    expect(client.kinds).toEqual(['snapshot']);
    expect(source.changed).toBeUndefined();
  });
});
