import {
  type AnyState,
  aliveIntervalMs,
  applyTopicPatch,
  type NodeRow,
  nodesTopic,
  type StreamMessage,
  type Topic,
} from '@quartermaster/api/inventory-views';
import { FakeClock, silentLog } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { namedView, viewsByAddress } from './open-view.ts';
import { ViewFeed } from './view-feed.ts';

const nodes = Array.from(
  { length: 5_000 },
  (_, index): NodeRow => ({ name: `n${index}`, isReady: true, state: 'Ready', cpuMillis: 1, memoryBytes: 1, gpus: {}, pods: 0 }),
);

const headTopic: Topic<null, { readonly observedAt: number }, never> = {
  name: 'head',
  keyOf: () => '',
  parse: () => null,
  format: () => ({}),
};

class Source {
  nodes: readonly NodeRow[] | undefined = nodes;
  observedAt = 0;
  changed: (() => void) | undefined;
  error: Error | undefined;
  reads = 0;

  readonly open = viewsByAddress([
    namedView(headTopic, () => ({ head: { observedAt: this.observedAt }, rows: [] })),
    namedView(nodesTopic, () => {
      this.reads += 1;
      if (this.error !== undefined) throw this.error;
      return this.nodes && { head: { total: this.nodes.length }, rows: this.nodes };
    }),
  ]);

  subscribe(changed: () => void): () => void {
    this.changed = changed;
    return () => {
      this.changed = undefined;
    };
  }
  setNodes(change: (node: NodeRow) => NodeRow): void {
    this.nodes = this.nodes?.map(change);
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
  write(messages: readonly StreamMessage[]): boolean {
    this.bytes += JSON.stringify(messages).length;
    this.messages.push(...messages);
    return this.canTake;
  }
  get kinds(): string[] {
    return this.messages.map(({ kind }) => kind);
  }
  /** What a reader would hold of the nodes after all this. */
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
  const feed = new ViewFeed({ open: source.open, subscribe: (changed) => source.subscribe(changed), clock, log: silentLog });
  return { clock, source, feed };
}

describe('the feed of views', () => {
  it('starts with the state of each view and then sends only what changed of it', async () => {
    const { clock, source, feed } = start();
    const client = new Client();
    feed.subscribe(client, ['head', 'nodes']);
    expect(client.kinds).toEqual(['state', 'state']);
    source.setPods(3);
    await clock.advance(250);
    expect(client.messages.slice(2)).toEqual([
      { kind: 'patch', sentAt: clock.now(), topic: 'nodes', patch: { changed: [['n7', { pods: 3 }]] } },
    ]);
    expect(client.nodes).toEqual(source.nodes);
  });

  it('sends a reader nothing of what it does not follow, and does not look at it', async () => {
    const { clock, source, feed } = start();
    const client = new Client();
    feed.subscribe(client, ['head']);
    source.setPods(3);
    await clock.advance(250);
    expect(client.kinds).toEqual(['state']);
    expect(source.reads).toBe(0);
    feed.subscribe(client, ['nodes']).end();
    expect(source.reads).toBe(1);
    source.setPods(4);
    await clock.advance(aliveIntervalMs);
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
      source.setNodes((node) => ({ ...node, silentSince: step }));
      await clock.advance(200);
    }
    expect((client.bytes - atFirst) / seconds).toBeLessThan(256 * 1024 * 1.1);
    expect(client.kinds.length).toBeGreaterThan(10);
    await clock.advance(2_000);
    expect(client.nodes).toEqual(source.nodes);
  });

  it('queues nothing for a slow reader and brings it to the newest state once it can take more', async () => {
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
    expect(slow.nodes).toEqual(source.nodes);
  });

  it('says that it is alive when nothing changes', async () => {
    const { clock, feed } = start();
    const client = new Client();
    feed.subscribe(client, ['head']);
    await clock.advance(aliveIntervalMs);
    await clock.advance(aliveIntervalMs);
    expect(client.kinds).toEqual(['state', 'alive', 'alive']);
  });

  it('notices what changed without being told', async () => {
    const { clock, source, feed } = start();
    const client = new Client();
    feed.subscribe(client, ['head']);
    source.observedAt = 99;
    await clock.advance(aliveIntervalMs);
    expect(client.messages.at(-1)).toMatchObject({ kind: 'patch', patch: { head: { observedAt: 99 } } });
  });

  it('says that nothing is known rather than that there is nothing, and what is known from then on', async () => {
    const { clock, source, feed } = start();
    source.nodes = undefined;
    const client = new Client();
    feed.subscribe(client, ['nodes']);
    expect(client.messages).toMatchObject([{ kind: 'state', state: null }]);
    source.nodes = nodes;
    source.changed?.();
    await clock.advance(250);
    expect(client.nodes).toHaveLength(5_000);
  });

  it('outlives a source that throws: readers keep what they have and hear that the server lives', async () => {
    const { clock, source, feed } = start();
    const client = new Client();
    feed.subscribe(client, ['nodes']);
    source.error = new Error('not now');
    await clock.advance(aliveIntervalMs);
    expect(client.kinds).toEqual(['state', 'alive']);
    source.error = undefined;
    source.setPods(4);
    await clock.advance(250);
    expect(client.nodes).toEqual(source.nodes);
  });

  it('refuses a view that there is not', () => {
    const { feed } = start();
    expect(() => feed.read('leases')).toThrow('there is no view "leases": follow head, nodes');
    expect(() => feed.subscribe(new Client(), ['nodes', 'leases'])).toThrow('there is no view "leases"');
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
