import type { CacheListener } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { PodChanges } from './pod-changes.ts';

function pods() {
  const listeners = new Set<CacheListener<unknown>>();
  const changes = new PodChanges({
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });
  const tell = (key: string, kind: 'added' | 'updated' | 'deleted' = 'updated'): void => {
    const entry = { key, uid: '', resourceVersion: '', value: {} };
    for (const listener of listeners) listener[kind]?.(entry, entry);
  };
  return { changes, tell, listeners };
}

describe('changes of pods', () => {
  it('are told to those who listen for their namespace, whatever the change', () => {
    const { changes, tell, listeners } = pods();
    const told: string[] = [];
    changes.listen('lease-1', () => told.push('one'));
    changes.listen('lease-1', () => told.push('same'));
    changes.listen('lease-2', () => told.push('other'));
    for (const kind of ['added', 'updated', 'deleted'] as const) tell('lease-1/web-1', kind);
    tell('lease-10/web-1');
    expect(told).toEqual(['one', 'same', 'one', 'same', 'one', 'same']);
    expect(listeners.size).toBe(1);
  });

  it('are not told to those who have left, and still to the others', () => {
    const { changes, tell } = pods();
    const told: string[] = [];
    const leave = changes.listen('lease-1', () => told.push('left'));
    leave();
    changes.listen('lease-1', () => told.push('new'));
    // Twice is once.
    leave();
    tell('lease-1/web-1');
    expect(told).toEqual(['new']);
  });

  it('are told to nobody once it stops', () => {
    const { changes, tell, listeners } = pods();
    changes.listen('lease-1', () => expect.unreachable());
    changes.stop();
    tell('lease-1/web-1');
    expect(listeners.size).toBe(0);
  });
});
