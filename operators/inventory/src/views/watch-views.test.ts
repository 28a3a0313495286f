import { type NodeRow, nodesTopic } from '@quartermaster/api/inventory-views';
import { FakeClock, silentLog } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { namedView, viewsByAddress } from './open-view.ts';
import { ViewFeed } from './view-feed.ts';
import { watchViews } from './watch-views.ts';

function start() {
  const clock = new FakeClock();
  const source = { rows: [] as readonly NodeRow[], changed: () => {} };
  const setPods = (pods: number): void => {
    source.rows = [{ name: 'n', isReady: true, state: 'Ready', cpuMillis: 1, memoryBytes: 1, gpus: {}, pods }];
    source.changed();
  };
  setPods(0);
  const open = viewsByAddress([namedView(nodesTopic, () => ({ head: { total: 1 }, rows: source.rows }))]);
  const subscribe = (changed: () => void) => {
    source.changed = changed;
    return () => {};
  };
  const stop = new AbortController();
  const watch = watchViews(new ViewFeed({ open, subscribe, clock, log: silentLog }), ['nodes'], stop.signal);
  return { clock, setPods, stop, watch };
}

describe('watchViews', () => {
  it('gives a reader that takes its time the newest state, and nothing of what it missed', async () => {
    const { clock, setPods, watch } = start();
    expect(await watch.next()).toMatchObject({ value: { kind: 'state', topic: 'nodes' } });
    for (let pods = 1; pods <= 40; pods += 1) {
      setPods(pods);
      await clock.advance(1_000);
    }
    const next = watch.next();
    await clock.advance(250);
    expect(await next).toMatchObject({ value: { kind: 'patch', patch: { changed: [['n', { pods: 40 }]] } } });
    const then = watch.next();
    await clock.advance(5_000);
    expect(await then).toMatchObject({ value: { kind: 'alive' } });
    await watch.return();
  });

  it('ends when it is told to, though nothing changes', async () => {
    const { stop, watch } = start();
    await watch.next();
    const next = watch.next();
    stop.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });
});
