import { describe, expect, it } from 'vitest';
import { byLack, changeWords, lackWords, verdict } from './fit-words.ts';

const plan = [{ node: 'a', replicas: 1 }];

describe('the words of a fit', () => {
  it('begin with yes or no', () => {
    expect(verdict({ replicas: 1 }, { room: 7, isAtLeast: false, plan })).toBe('Yes: 1 replica on 1 node, and there is room for 7.');
    expect(verdict({ replicas: 3 }, { room: 3, isAtLeast: false, plan })).toBe('Yes: 3 replicas on 1 node, and no more.');
    expect(verdict({ replicas: 3 }, { room: 1, isAtLeast: false, plan })).toBe('No: 1 of 3 fit.');
    expect(verdict({ replicas: 1 }, { room: 0, isAtLeast: false, plan: [] })).toBe('No single node can hold one replica.');
  });

  it('promise no more than is known, and deny nothing that is not', () => {
    expect(verdict({ replicas: 1 }, { room: 12, isAtLeast: true, plan })).toBe(
      'Yes: 1 replica on 1 node, and there is room for at least 12.',
    );
    expect(verdict({ replicas: 12 }, { room: 12, isAtLeast: true, plan })).toContain('room for at least 12');
    expect(verdict({ replicas: 20 }, { room: 12, isAtLeast: true, plan })).toBe('Not known: at least 12 of 20 fit.');
    expect(lackWords({ kind: 'unsaid' })).toBe('space of the storage class not known');
  });

  it('name nodes that lack the same together', () => {
    const lacks = [{ kind: 'resource', resource: 'gpu', wanted: 8, free: 0 }] as const;
    const silent = [{ kind: 'state', state: 'unknown', why: ['ReadyUnknown'] }] as const;
    const refusals = [
      { node: 'a', lacks },
      { node: 'b', lacks: silent },
      { node: 'c', lacks },
    ];
    expect(byLack(refusals)).toEqual([
      { words: '0 of 8 GPUs', nodes: ['a', 'c'] },
      { words: 'silent', nodes: ['b'] },
    ]);
  });

  it('say what is there against what is asked for', () => {
    expect(lackWords({ kind: 'resource', resource: 'gpu', wanted: 8, free: 3 })).toBe('3 of 8 GPUs');
    expect(lackWords({ kind: 'resource', resource: 'memory', wanted: 1024 ** 4, free: 1024 ** 3 * 512 })).toBe('0.5 of 1 TiB memory');
    expect(lackWords({ kind: 'state', state: 'held-back', why: ['DiskPressure'] })).toBe('disk pressure');
    expect(changeWords({ kind: 'less', resource: 'cpu', amount: 7_500 })).toBe('One would fit with 7.5 cores.');
  });
});
