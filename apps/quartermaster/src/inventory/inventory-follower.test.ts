import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type WatchInventoryRequest, type WatchInventoryResponse, WatchInventoryResponseSchema } from '@quartermaster/api/inventory';
import { FakeClock, StatusError, seededRandom } from '@quartermaster/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { InventoryConnection } from './inventory-connection.ts';
import { InventoryFollower } from './inventory-follower.ts';
import { node, snapshotOf } from './test/inventory-messages.ts';

type Event = MessageInitShape<typeof WatchInventoryResponseSchema>['event'];

/** A server whose streams a test feeds and breaks. */
class ScriptedServer {
  readonly requests: Partial<WatchInventoryRequest>[] = [];
  refusal: StatusError | undefined;
  open = 0;
  #tell: ((answer: WatchInventoryResponse | Error | undefined) => void) | undefined;

  connect = (): InventoryConnection => {
    const never = (): Promise<never> => Promise.reject(new StatusError('internal', 'not part of this test'));
    this.open += 1;
    return {
      client: {
        getSnapshot: never,
        listAllocations: never,
        getStatus: never,
        explain: never,
        watchInventory: (request, options) => this.#stream(request as Partial<WatchInventoryRequest>, options?.signal),
      },
      explained: (thrown) => thrown,
      close: () => {
        this.open -= 1;
      },
    };
  };

  async *#stream(request: Partial<WatchInventoryRequest>, signal: AbortSignal | undefined): AsyncGenerator<WatchInventoryResponse, void> {
    this.requests.push(request);
    if (this.refusal !== undefined) throw this.refusal;
    for (;;) {
      const next = await new Promise<WatchInventoryResponse | Error | undefined>((resolve) => {
        this.#tell = resolve;
        signal?.addEventListener('abort', () => resolve(signal.reason as Error), { once: true });
      });
      if (next === undefined) return;
      if (next instanceof Error) throw next;
      yield next;
    }
  }

  send(event: Exclude<Event, undefined>): void {
    this.#tell?.(create(WatchInventoryResponseSchema, { event }));
  }

  cut(): void {
    this.#tell?.(new StatusError('unavailable', 'connection reset'));
  }
}

const at = (sequence: bigint, epoch = 'e') => ({ epoch, sequence });

describe('InventoryFollower', () => {
  let clock: FakeClock;
  let server: ScriptedServer;
  let follower: InventoryFollower;
  let changes: number;
  let end: AbortController;
  let running: Promise<void>;

  beforeEach(() => {
    clock = new FakeClock();
    server = new ScriptedServer();
    changes = 0;
    end = new AbortController();
    follower = new InventoryFollower({
      connect: server.connect,
      changed: () => {
        changes += 1;
      },
      clock,
      random: seededRandom(1),
    });
    running = follower.run(end.signal);
  });
  afterEach(async () => {
    end.abort();
    await running;
  });

  const names = (): readonly string[] | undefined => follower.snapshot?.nodes.map(({ name }) => name);
  const sendSnapshot = async (sequence: bigint, ...nodes: string[]): Promise<void> => {
    server.send({
      case: 'snapshot',
      value: snapshotOf(
        nodes.map((name) => node(name)),
        { generation: at(sequence) },
      ),
    });
    await clock.advance(0);
  };

  it('knows nothing at first, and then what it was told', async () => {
    expect(follower.snapshot).toBeUndefined();
    await clock.advance(0);
    await sendSnapshot(1n, 'a', 'c');
    server.send({ case: 'delta', value: { from: at(1n), to: at(2n), nodes: [node('b')], removedNodes: ['c'] } });
    await clock.advance(0);
    expect(names()).toEqual(['a', 'b']);
    expect(follower.snapshot?.generation?.sequence).toBe(2n);
    expect(follower.link).toEqual({ isLive: true });
    expect(changes).toBe(2);
  });

  it('keeps lease pods by what it is told of each', async () => {
    await clock.advance(0);
    const leasePods = ['c', 'a', 'b'].map((uid) => ({ uid, node: 'n1' }));
    server.send({ case: 'snapshot', value: snapshotOf([], { generation: at(1n), leasePods }) });
    await clock.advance(0);
    const change = { leasePods: [{ uid: 'b', node: 'n2' }, { uid: 'd' }], removedLeasePods: ['a', 'never-seen'] };
    server.send({ case: 'delta', value: { from: at(1n), to: at(2n), ...change } });
    await clock.advance(0);
    expect(follower.snapshot?.leasePods.map(({ uid, node: on }) => [uid, on])).toEqual([
      ['b', 'n2'],
      ['c', 'n1'],
      ['d', ''],
    ]);
  });

  it('has the volumes of leases that deltas lead to', async () => {
    await clock.advance(0);
    const leaseVolumes = ['c', 'a', 'b'].map((uid) => ({ uid, bytes: 1n }));
    server.send({ case: 'snapshot', value: snapshotOf([], { generation: at(1n), leaseVolumes }) });
    await clock.advance(0);
    const change = { leaseVolumes: [{ uid: 'b', bytes: 2n }], removedLeaseVolumes: ['a', 'never-seen'] };
    server.send({ case: 'delta', value: { from: at(1n), to: at(2n), ...change } });
    await clock.advance(0);
    expect(follower.snapshot?.leaseVolumes.map(({ uid, bytes }) => [uid, bytes])).toEqual([
      ['b', 2n],
      ['c', 1n],
    ]);
  });

  it('keeps everything when the connection breaks, says since when, and goes on from where it was', async () => {
    await clock.advance(0);
    await sendSnapshot(7n, 'a');
    const heardAt = clock.now();
    await clock.advance(1000);
    server.cut();
    await clock.advance(0);
    expect(names()).toEqual(['a']);
    expect(follower.link).toEqual({ isLive: false, lastContactAt: heardAt, reason: 'connection reset' });
    await clock.advance(5000);
    expect(server.requests.map(({ resumeFrom }) => resumeFrom?.sequence)).toEqual([undefined, 7n]);
    server.send({ case: 'delta', value: { from: at(7n), to: at(9n), nodes: [node('b')] } });
    await clock.advance(0);
    expect(names()).toEqual(['a', 'b']);
    expect(follower.link).toEqual({ isLive: true });
  });

  it('takes silence for a broken connection, and a heartbeat for a sign of life', async () => {
    await clock.advance(0);
    await sendSnapshot(1n, 'a');
    await clock.advance(14_000);
    server.send({ case: 'heartbeat', value: { generation: at(1n), completeness: { complete: false, stale: [{ source: 'pods' }] } } });
    await clock.advance(14_000);
    expect(follower.link.isLive).toBe(true);
    expect(follower.snapshot?.completeness?.stale).toHaveLength(1);
    await clock.advance(1_000);
    expect(follower.link).toMatchObject({ isLive: false, reason: 'no message received for 15 s' });
    expect(names()).toEqual(['a']);
  });

  it('reads everything again when a change was left out', async () => {
    await clock.advance(0);
    await sendSnapshot(1n, 'a');
    server.send({ case: 'delta', value: { from: at(2n), to: at(3n), nodes: [node('b')] } });
    await clock.advance(0);
    expect(names()).toEqual(['a']);
    await clock.advance(5000);
    expect(server.requests.at(-1)?.resumeFrom).toBeUndefined();
  });

  it('takes the word of a server that starts over', async () => {
    await clock.advance(0);
    await sendSnapshot(5n, 'a', 'b');
    server.cut();
    await clock.advance(5000);
    server.send({ case: 'snapshot', value: snapshotOf([node('z')], { generation: at(1n, 'other') }) });
    await clock.advance(0);
    expect(names()).toEqual(['z']);
    expect(server.open).toBe(1);
  });

  it('leaves no connection behind', async () => {
    await clock.advance(0);
    expect(server.open).toBe(1);
    end.abort();
    await running;
    expect(server.open).toBe(0);
  });

  it('tries again for as long as a server is away, but never more often than every few seconds in the end', async () => {
    server.refusal = new StatusError('unavailable', 'nobody answers');
    await clock.advance(0);
    server.cut();
    await clock.advance(120_000);
    expect(follower.snapshot).toBeUndefined();
    expect(follower.link).toMatchObject({ isLive: false, lastContactAt: undefined, reason: 'nobody answers' });
    expect(server.requests.length).toBeGreaterThan(20);
    expect(server.requests.length).toBeLessThan(60);
  });
});

it('gives up at once on what waiting cannot mend', async () => {
  const server = new ScriptedServer();
  server.refusal = new StatusError('unauthenticated', 'the caller is not known');
  const follower = new InventoryFollower({ connect: server.connect, changed: () => {}, clock: new FakeClock() });
  await expect(follower.run(new AbortController().signal)).rejects.toThrow('the caller is not known');
  expect(server.open).toBe(0);
});
