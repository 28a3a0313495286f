import { FakeClock, StatusError, silentLog } from '@quartermaster/kernel';
import { cacheOpener, type KubeClient, type KubeReader } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import type { NodeUtilization, StaleSource } from '../model/node-inventory.ts';
import { LeftOutObjects } from '../observe/left-out.ts';
import { UtilizationPoll } from './utilization-poll.ts';

const good = { timestamp: '2026-01-01T00:00:00Z', usage: { cpu: '250m', memory: '1Gi' } };

type Round = readonly object[] | Error;

/** What polls make of these, and what is stale after each. */
async function polled(...rounds: readonly Round[]) {
  const clock = new FakeClock();
  const measured = new Map<string, NodeUtilization | undefined>();
  const leftOut = new LeftOutObjects(cacheOpener({} as KubeClient));
  let round = 0;
  const client = {
    list: async () => {
      const items = rounds[Math.min(round++, rounds.length - 1)];
      if (items instanceof Error) throw items;
      return { resourceVersion: '', items };
    },
  };
  const poll = new UtilizationPoll({
    client: client as unknown as KubeReader,
    clock,
    log: silentLog,
    missingIntervalMs: 15_000,
    leftOut,
    measured: (node, utilization) => void measured.set(node, utilization),
  });
  const ending = new AbortController();
  const running = poll.run(ending.signal);
  const stale: (readonly StaleSource[])[] = [];
  for (const _ of rounds) {
    await clock.advance(stale.length === 0 ? 1 : 15_000);
    stale.push(poll.stale());
  }
  ending.abort();
  await running;
  return { measured, leftOut: leftOut.current(), stale, startedAt: clock.now() - 15_000 * (rounds.length - 1) - 1 };
}

describe('the figures of the metrics server', () => {
  it.each([
    ['a zero time', { timestamp: '0001-01-01T00:00:00Z' }, 'timestamp 0001-01-01T00:00:00Z cannot be when it was measured'],
    ['an absurd time', { timestamp: '+275760-09-13T00:00:00.000Z' }, 'cannot be when it was measured'],
    ['a time that is none', { timestamp: 'yesterday' }, 'timestamp yesterday cannot be when it was measured'],
    ['a negative amount', { usage: { cpu: '-1', memory: '1Gi' } }, 'usage.cpu is negative'],
    ['more than any machine has', { usage: { cpu: '1', memory: '1e30' } }, 'usage.memory is more than any machine has'],
    ['no amounts', { usage: null }, 'quantity ""'],
    ['another type', { usage: { cpu: 1, memory: '1Gi' } }, 'usage.cpu must be a text'],
  ])('are left out where they have %s, which is named, and no others are', async (_, odd, reason) => {
    const { measured, leftOut } = await polled([
      { metadata: { name: 'odd' }, ...good, ...odd },
      { metadata: { name: 'good' }, ...good },
    ]);
    expect([...measured]).toEqual([['good', { cpuMillis: 250, memoryBytes: 2 ** 30, observedAt: Date.UTC(2026, 0, 1) }]]);
    expect(leftOut).toMatchObject([
      { source: 'node-metrics', count: 1, named: [{ name: 'odd', reason: expect.stringContaining(reason) }] },
    ]);
  });

  it('are no longer named once they are good, or the node is gone', async () => {
    const odd = ['a', 'b'].map((name) => ({ metadata: { name }, ...good, timestamp: '' }));
    const { measured, leftOut } = await polled(odd, [{ metadata: { name: 'a' }, ...good }]);
    expect([[...measured].flatMap(([name, use]) => (use === undefined ? [] : [name])), leftOut]).toEqual([['a'], []]);
  });

  it('are none where the metrics server has none of a node any more', async () => {
    const both = ['a', 'b'].map((name) => ({ metadata: { name }, ...good }));
    const { measured } = await polled(both, both.slice(0, 1));
    expect([...measured].map(([name, use]) => [name, use !== undefined])).toEqual([
      ['a', true],
      ['b', false],
    ]);
  });

  const away = new StatusError('unavailable', 'no answer', { details: { kind: 'server', status: 503 } });
  const missing = new StatusError('not_found', 'no such kind', { details: { kind: 'kind-missing' } });

  it('are stale while the metrics server does not answer, since it last did', async () => {
    const { stale, startedAt } = await polled([], away, away, [], missing);
    const of = (lastContactAt: number, reason: string) => [{ source: 'node-metrics', lastContactAt, reason }];
    const answered = of(startedAt, 'no answer');
    expect(stale).toEqual([[], answered, answered, [], of(startedAt + 45_000, 'no such kind')]);
  });

  it('are expected of no cluster without one, also while its API server is away', async () => {
    const { stale } = await polled(missing, away, missing);
    expect(stale).toEqual([[], [], []]);
    expect((await polled(away)).stale).toMatchObject([[{ source: 'node-metrics', lastContactAt: undefined }]]);
  });
});
