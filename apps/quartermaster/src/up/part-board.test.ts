import { FakeClock } from '@quartermaster/kernel';
import { expect, it } from 'vitest';
import { PartBoard } from './part-board.ts';

it('says since when a part is in its state, whatever its reason becomes', async () => {
  const clock = new FakeClock();
  const board = new PartBoard(clock);
  const startedAt = clock.now();
  board.set('cluster', 'embedded', { state: 'failed', reason: 'no answer' });
  await clock.advance(1000);
  board.set('cluster', 'embedded', { state: 'failed', reason: 'refused', facts: { pid: '12' } });
  expect(board.list()).toEqual([
    { name: 'cluster', kind: 'embedded', state: 'failed', reason: 'refused', since: startedAt, facts: { pid: '12' } },
  ]);
  board.set('cluster', 'embedded', { state: 'ready' });
  expect(board.list()).toEqual([{ name: 'cluster', kind: 'embedded', state: 'ready', since: startedAt + 1000, facts: { pid: '12' } }]);
});

it('tells of what is new and of nothing else', () => {
  let changes = 0;
  const board = new PartBoard(new FakeClock());
  board.subscribe(() => (changes += 1));
  board.set('console', 'embedded', { state: 'ready', facts: { address: 'http://127.0.0.1:1' } });
  board.set('console', 'embedded', { state: 'ready', facts: { address: 'http://127.0.0.1:1' } });
  board.set('console', 'embedded', { state: 'ready' });
  expect(changes).toBe(1);
  board.set('console', 'embedded', { state: 'ready', facts: { address: 'http://127.0.0.1:2' } });
  expect(changes).toBe(2);
});

it('remembers what became of parts, and no end of it', async () => {
  const clock = new FakeClock();
  const board = new PartBoard(clock);
  const at = clock.now();
  board.set('Kubernetes API', 'external', { state: 'ready' });
  board.set('Kubernetes API', 'external', { state: 'ready', facts: { version: 'v1' } });
  await clock.advance(1000);
  board.set('Kubernetes API', 'external', { state: 'degraded', reason: 'no answer' });
  expect(board.changes()).toEqual([
    { at, name: 'Kubernetes API', state: 'ready' },
    { at: at + 1000, name: 'Kubernetes API', state: 'degraded', reason: 'no answer' },
  ]);
  for (let index = 0; index < 300; index += 1) board.set('x', 'role', { state: index % 2 === 0 ? 'ready' : 'failed' });
  expect(board.changes()).toHaveLength(200);
});
