import { describe, expect, it } from 'vitest';
import { podHint, podQuery } from './pod-query.ts';

describe('the filter of pods', () => {
  it('asks the server for words, a phase and a node', () => {
    expect(podQuery('train phase:pend node:gpu-01 a')).toEqual({ search: 'train a', phase: 'Pending', node: 'gpu-01' });
    expect(podQuery('')).toEqual({ search: '', phase: undefined, node: undefined });
  });

  it('says what it does not know', () => {
    expect(podHint('fase:Pending')).toMatch(/^There is no key fase/);
    expect(podHint('this.phase == "Pending"')).toMatch(/^Pods are filtered by words/);
    expect(podHint('tenant-a/train')).toBeUndefined();
  });
});
