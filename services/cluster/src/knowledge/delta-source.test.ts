import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { type CompletenessSchema, Sellability, SnapshotSchema, WatchInventoryResponseSchema } from '@quartermaster/api/inventory';
import { FakeClock, silentLog } from '@quartermaster/kernel';
import type { RpcChannel } from '@quartermaster/rpc';
import { describe, expect, it } from 'vitest';
import { parseCommitLevel } from '../placement/commit-level.ts';
import { DeltaSource } from './delta-source.ts';
import { InventoryPicture } from './inventory-picture.ts';

type Event = NonNullable<MessageInitShape<typeof WatchInventoryResponseSchema>['event']>;
type Completeness = MessageInitShape<typeof CompletenessSchema>;

const amount = (allocatable: bigint) => ({ capacity: allocatable, allocatable, available: allocatable });
const node = (name: string, cpuMillis = 1_000n) => ({
  ...{ name, uid: name, sellability: Sellability.SELLABLE, cpu: amount(cpuMillis), memory: amount(1n), ephemeralStorage: amount(1n) },
});
const leftOut = (source: string, ...names: string[]): Completeness => ({
  leftOut: [{ source, count: BigInt(names.length), named: names.map((name) => ({ name, reason: 'it is odd' })) }],
});

function world() {
  const picture = new InventoryPicture();
  let told = 0;
  const source = new DeltaSource({
    sink: {
      tell: (change) => {
        told += 1;
        picture.take(change);
      },
      confirm: () => {},
      differences: (whole) => picture.differences(whole),
      node: (name) => picture.nodes.get(name),
    },
    storageLevel: parseCommitLevel('1', 'level'),
    clock: new FakeClock(),
    log: silentLog,
  });
  let sequence = 1n;
  const take = (event: Event) => source.take(create(WatchInventoryResponseSchema, { event }).event);
  const at = () => ({ epoch: 'e', sequence });
  const heartbeat = (completeness: Completeness) =>
    take({ case: 'heartbeat', value: { generation: at(), sentAt: timestampFromMs(100_000), completeness } });
  const delta = (more: object, completeness: Completeness = {}) => {
    const from = at();
    sequence += 1n;
    take({ case: 'delta', value: { from, to: at(), completeness, ...more } });
  };
  take({ case: 'snapshot', value: { generation: at(), nodes: ['a', 'b'].map((name) => node(name)) } });
  const view = () =>
    Object.fromEntries([...picture.nodes].map(([name, { facts }]) => [name, [facts.cpuMillis, ...facts.heldBack.map(({ code }) => code)]]));
  const poll = async (completeness: Completeness) => {
    const snapshot = create(SnapshotSchema, { generation: at(), nodes: ['a', 'b'].map((name) => node(name)), completeness });
    const connection = { client: () => ({ getSnapshot: async () => ({ snapshot }) }) } as unknown as RpcChannel;
    await source.poll(connection, 10, new AbortController().signal);
  };
  return { source, heartbeat, delta, poll, view, told: () => told };
}

describe('an inventory that tells its changes', () => {
  it('has nodes held back that it could not read, until it could', () => {
    const { heartbeat, delta, view, told, source } = world();
    expect(view()).toEqual({ a: [1_000], b: [1_000] });
    heartbeat(leftOut('node-views', 'a', 'unheard-of'));
    expect(view()).toEqual({ a: [1_000, 'NodeLeftOut'], b: [1_000] });
    const before = told();
    heartbeat(leftOut('node-views', 'a', 'unheard-of'));
    expect(told()).toBe(before);
    delta({ nodes: [node('a', 900n), node('b', 800n)] }, leftOut('sellability', 'a'));
    expect(view()).toEqual({ a: [900, 'NodeLeftOut'], b: [800] });
    delta({ nodes: [node('b', 700n)] }, leftOut('nodes', 'b'));
    expect(view()).toEqual({ a: [900], b: [700, 'NodeLeftOut'] });
    delta({ removedNodes: ['b'] }, leftOut('nodes', 'b'));
    expect(view()).toEqual({ a: [900] });
    heartbeat({ complete: true });
    expect(view()).toEqual({ a: [900] });
    heartbeat(leftOut('hardware', 'a'));
    expect([view(), source.silent()]).toEqual([{ a: [900] }, []]);
  });

  it('is what its server has when that could read something else by then', async () => {
    const { poll, view, source } = world();
    await poll(leftOut('node-views', 'a'));
    expect([view(), source.drifts]).toEqual([{ a: [1_000, 'NodeLeftOut'], b: [1_000] }, 0]);
    await poll({ complete: true });
    expect([view(), source.drifts]).toEqual([{ a: [1_000], b: [1_000] }, 0]);
  });

  it('is incomplete where it does not name all nodes that it could not read', () => {
    const { heartbeat, source } = world();
    heartbeat({ leftOut: [{ source: 'node-views', count: 2n, named: [{ name: 'a', reason: '' }] }] });
    expect(source.silent()).toEqual([{ source: 'some node-views', lastHeardAt: undefined }]);
    heartbeat({});
    expect(source.silent()).toEqual([]);
  });

  it('tells apart the sources of what claims hand out', () => {
    const { heartbeat, source } = world();
    const stale = ['pods', 'resource-claims', 'hardware'].map((each) => ({ source: each, lastContactAt: timestampFromMs(90_000) }));
    heartbeat({ stale });
    expect(source.silent().map((each) => each.source)).toEqual(['pods']);
    expect(source.silentClaims().map((each) => each.source)).toEqual(['resource-claims']);
  });
});
