import { FakeClock, silentLog } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import type { ConsoleNode, ConsoleSnapshot, ConsoleSource, PodPage } from '../console-source.ts';
import { type AnyState, aliveIntervalMs, type StreamMessage } from '../topics/stream-message.ts';
import { applyTopicPatch } from '../topics/topic-patch.ts';
import { TopicFeed } from './topic-feed.ts';

const nodes = Array.from(
  { length: 5_000 },
  (_, index): ConsoleNode => ({ name: `n${index}`, isReady: true, state: 'Ready', cpuMillis: 1, memoryBytes: 1, gpus: {}, pods: 0 }),
);
const base: ConsoleSnapshot = {
  installation: { version: '1', startedAt: 0, kubernetes: 'given', server: 's', kubeconfig: 'k' },
  parts: [],
  cluster: { observedAt: 0, nodes, podsByPhase: {} },
};

class Source implements ConsoleSource {
  snapshot = base;
  changed: (() => void) | undefined;
  error: Error | undefined;
  reads = 0;
  current(): ConsoleSnapshot {
    if (this.error !== undefined) throw this.error;
    return this.snapshot;
  }
  pods(): PodPage {
    this.reads += 1;
    return { total: 1, matching: 1, pods: [{ namespace: 'a', name: 'b', phase: 'Running', changedAt: 0 }] };
  }
  subscribe(changed: () => void): () => void {
    this.changed = changed;
    return () => {
      this.changed = undefined;
    };
  }
  setNodes(change: (node: ConsoleNode) => ConsoleNode): void {
    const { cluster } = this.snapshot;
    if (cluster === undefined) throw new Error('the base has a cluster');
    this.snapshot = { ...this.snapshot, cluster: { ...cluster, nodes: cluster.nodes.map(change) } };
    this.changed?.();
  }
  setPods(pods: number): void {
    this.setNodes((node) => (node.name === 'n7' ? { ...node, pods } : node));
  }
}

class Client {
  readonly messages: StreamMessage[] = [];
  canTake = true;
  bytes = 0;
  write(text: string): boolean {
    this.bytes += text.length;
    for (const [, data = ''] of text.matchAll(/^data: (.*)$/gm)) this.messages.push(JSON.parse(data) as StreamMessage);
    return this.canTake;
  }
  get kinds(): string[] {
    return this.messages.map(({ kind }) => kind);
  }
  /** What a page would hold of the nodes after all this. */
  get nodes(): readonly object[] | undefined {
    let state: AnyState | null | undefined;
    for (const message of this.messages) {
      if (message.kind === 'alive' || message.topic !== 'nodes') continue;
      if (message.kind === 'state') ({ state } = message);
      else if (state) state = applyTopicPatch(state, message.patch, (row) => ('name' in row ? String(row.name) : ''));
    }
    return state?.rows;
  }
}

function start() {
  const clock = new FakeClock();
  const source = new Source();
  return { clock, source, feed: new TopicFeed(source, clock, silentLog) };
}

describe('the feed of topics', () => {
  it('starts with the state of each topic and then sends only what changed of it', async () => {
    const { clock, source, feed } = start();
    const client = new Client();
    feed.subscribe(client, ['overview', 'nodes']);
    expect(client.kinds).toEqual(['state', 'state']);
    source.setPods(3);
    await clock.advance(250);
    expect(client.messages.slice(2)).toEqual([
      { kind: 'patch', sentAt: clock.now(), topic: 'nodes', patch: { changed: [['n7', { pods: 3 }]] } },
    ]);
    expect(client.nodes).toEqual(source.snapshot.cluster?.nodes);
  });

  it('sends a page nothing of what it does not follow, and asks nobody for it', async () => {
    const { clock, source, feed } = start();
    const client = new Client();
    feed.subscribe(client, ['overview']);
    source.setPods(3);
    await clock.advance(250);
    expect(client.kinds).toEqual(['state']);
    expect(source.reads).toBe(0);
    feed.subscribe(client, ['pods']);
    expect(source.reads).toBe(1);
  });

  it('makes one message of many changes in a row', async () => {
    const { clock, source, feed } = start();
    const client = new Client();
    feed.subscribe(client, ['nodes']);
    for (let pods = 1; pods <= 50; pods += 1) source.setPods(pods);
    await clock.advance(250);
    expect(client.kinds).toEqual(['state', 'patch']);
    expect(client.nodes?.[7]).toMatchObject({ pods: 50 });
  });

  it('keeps to its bytes per second when everything changes all the time, and ends at the newest state', async () => {
    const { clock, source, feed } = start();
    const client = new Client();
    feed.subscribe(client, ['nodes']);
    const atFirst = client.bytes;
    const seconds = 15;
    for (let step = 1; step <= seconds * 5; step += 1) {
      source.setNodes((node) => ({ ...node, heartbeatAt: step }));
      await clock.advance(200);
    }
    expect((client.bytes - atFirst) / seconds).toBeLessThan(256 * 1024 * 1.1);
    expect(client.kinds.length).toBeGreaterThan(10);
    await clock.advance(2_000);
    expect(client.nodes).toEqual(source.snapshot.cluster?.nodes);
  });

  it('queues nothing for a slow page and brings it to the newest state once it can take more', async () => {
    const { clock, source, feed } = start();
    const [slow, quick] = [new Client(), new Client()];
    slow.canTake = false;
    const subscription = feed.subscribe(slow, ['nodes']);
    feed.subscribe(quick, ['nodes']);
    for (let pods = 1; pods <= 5; pods += 1) {
      source.setPods(pods);
      await clock.advance(250);
    }
    expect(slow.kinds).toEqual(['state']);
    expect(quick.kinds).toHaveLength(6);
    slow.canTake = true;
    subscription.resume();
    await clock.advance(250);
    expect(slow.kinds).toEqual(['state', 'patch']);
    expect(slow.nodes).toEqual(source.snapshot.cluster?.nodes);
  });

  it('says that it is alive when nothing changes', async () => {
    const { clock, feed } = start();
    const client = new Client();
    feed.subscribe(client, ['overview']);
    await clock.advance(aliveIntervalMs);
    await clock.advance(aliveIntervalMs);
    expect(client.kinds).toEqual(['state', 'alive', 'alive']);
  });

  it('notices what changed without being told', async () => {
    const { clock, source, feed } = start();
    const client = new Client();
    feed.subscribe(client, ['overview']);
    source.snapshot = { ...base, cluster: { observedAt: 99, nodes, podsByPhase: {} } };
    await clock.advance(aliveIntervalMs);
    expect(client.messages.at(-1)).toMatchObject({ kind: 'patch', patch: { head: { observedAt: 99 } } });
  });

  it('says that nothing is known rather than that there is nothing, and what is known from then on', async () => {
    const { clock, source, feed } = start();
    const { cluster, ...unread } = base;
    source.snapshot = unread;
    const client = new Client();
    feed.subscribe(client, ['nodes']);
    expect(client.messages).toMatchObject([{ kind: 'state', state: null }]);
    source.snapshot = { ...unread, ...(cluster === undefined ? {} : { cluster }) };
    source.changed?.();
    await clock.advance(250);
    expect(client.nodes).toHaveLength(5_000);
  });

  it('outlives a source that throws: pages keep what they have and hear that the server lives', async () => {
    const { clock, source, feed } = start();
    const client = new Client();
    feed.subscribe(client, ['nodes']);
    source.error = new Error('not now');
    await clock.advance(aliveIntervalMs);
    expect(client.kinds).toEqual(['state', 'alive']);
    source.error = undefined;
    source.setPods(4);
    await clock.advance(250);
    expect(client.nodes).toEqual(source.snapshot.cluster?.nodes);
  });

  it('refuses a topic that there is not, and a parameter that makes no sense', () => {
    const { feed } = start();
    expect(() => feed.read('leases')).toThrow('there is no topic "leases": follow overview, nodes, pods');
    expect(() => feed.read('pods?page=-1')).toThrow('page is "-1": give a whole number from 0 to');
  });

  it('tells nobody anything after it was closed', async () => {
    const { clock, source, feed } = start();
    const client = new Client();
    feed.subscribe(client, ['nodes']);
    source.setPods(1);
    feed.close();
    await clock.advance(10 * aliveIntervalMs);
    expect(client.kinds).toEqual(['state']);
    expect(source.changed).toBeUndefined();
  });
});
