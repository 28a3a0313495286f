import { FakeClock, silentLog } from '@quartermaster/kernel';
import { cacheOpener, type KubeClient, type KubeReader } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import type { NodeUtilization } from '../model/node-inventory.ts';
import { LeftOutObjects } from '../observe/left-out.ts';
import { pollUtilization } from './utilization-poll.ts';

const good = { timestamp: '2026-01-01T00:00:00Z', usage: { cpu: '250m', memory: '1Gi' } };

/** What one poll makes of these. */
async function polled(...rounds: readonly (readonly object[])[]) {
  const clock = new FakeClock();
  const measured = new Map<string, NodeUtilization>();
  const leftOut = new LeftOutObjects(cacheOpener({} as KubeClient));
  let round = 0;
  const client = { list: async () => ({ resourceVersion: '', items: rounds[Math.min(round++, rounds.length - 1)] }) };
  const ending = new AbortController();
  const running = pollUtilization(
    {
      client: client as unknown as KubeReader,
      clock,
      log: silentLog,
      leftOut,
      measured: (node, utilization) => void measured.set(node, utilization),
    },
    ending.signal,
  );
  await clock.advance(15_000 * (rounds.length - 1) + 1);
  ending.abort();
  await running;
  return { measured, leftOut: leftOut.current() };
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
    expect([[...measured.keys()], leftOut]).toEqual([['a'], []]);
  });
});
