import { FakeClock, StatusError, silentLog } from '@quartermaster/kernel';
import type { KubeObject, ObjectRef, ResourceType } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { buildHardware } from '../machine/hardware.ts';
import { Heartbeats } from './heartbeats.ts';
import { SimulatedNode } from './simulated-node.ts';

const hardware = buildHardware({ cpu: 'xeon-6130', sockets: 1, memoryGiB: 64 }, 'node', 1);

function start(count: number, answer: (name: string) => void = () => {}) {
  const clock = new FakeClock();
  const nodes = Array.from({ length: count }, (_, index) => new SimulatedNode({ name: `node-${index}`, index, hardware }, clock));
  const beats: { readonly kind: string; readonly name: string; readonly atMs: number }[] = [];
  const client = {
    create: async <T extends KubeObject>(_type: ResourceType<T>, object: T): Promise<T> => object,
    patch: async <T extends KubeObject>(type: ResourceType<T>, { name }: ObjectRef): Promise<T> => {
      beats.push({ kind: type.kind, name, atMs: clock.monotonic() });
      answer(name);
      return { metadata: { name } } as T;
    },
  };
  const heartbeats = new Heartbeats(nodes, {
    client,
    clock,
    log: silentLog,
    leaseIntervalMs: 10_000,
    statusIntervalMs: 60_000,
    endpoint: () => undefined,
  });
  const stopping = new AbortController();
  const running = heartbeats.run(stopping.signal);
  const stop = async (): Promise<void> => {
    stopping.abort();
    await running;
  };
  const leases = (): typeof beats => beats.filter(({ kind }) => kind === 'Lease');
  return { clock, nodes, beats, leases, stop };
}

describe('Heartbeats', () => {
  it('renews every lease once per interval, evenly spread', async () => {
    const { clock, leases, stop } = start(50);
    await clock.advance(20_000);
    await stop();
    const perNode = Map.groupBy(leases(), ({ name }) => name);
    expect(perNode.size).toBe(50);
    expect(new Set([...perNode.values()].map(({ length }) => length))).toEqual(new Set([2]));
    const perSecond = [...Map.groupBy(leases(), ({ atMs }) => Math.ceil(atMs / 1000)).values()].map(({ length }) => length);
    expect(Math.max(...perSecond)).toBeLessThanOrEqual(6);
  });

  it('writes each status at its own, slower pace', async () => {
    const { clock, beats, stop } = start(6);
    await clock.advance(60_000);
    await stop();
    const names = beats.filter(({ kind }) => kind === 'Node').map(({ name }) => name);
    expect(names).toEqual(['node-0', 'node-1', 'node-2', 'node-3', 'node-4', 'node-5']);
  });

  it('passes over lost nodes until they return', async () => {
    const { clock, nodes, leases, stop } = start(2);
    const [lost] = nodes;
    if (lost === undefined) throw new Error('no node');
    lost.isLost = true;
    await clock.advance(20_000);
    expect(new Set(leases().map(({ name }) => name))).toEqual(new Set(['node-1']));
    lost.isLost = false;
    await clock.advance(10_000);
    await stop();
    expect(leases().filter(({ name }) => name === 'node-0')).toHaveLength(1);
  });

  it('goes on after a beat that failed', async () => {
    const { clock, leases, stop } = start(2, (name) => {
      if (name === 'node-0') throw new StatusError('unavailable', 'the server is away');
    });
    await clock.advance(20_000);
    await stop();
    expect(leases().map(({ name }) => name)).toEqual(['node-0', 'node-1', 'node-0', 'node-1']);
  });

  it('is not moved by a jump of the wall clock', async () => {
    const { clock, leases, stop } = start(4);
    await clock.advance(10_000);
    const before = leases().length;
    clock.skewWall(3_600_000);
    await clock.advance(10_000);
    await stop();
    expect(leases().length - before).toBe(4);
  });
});
