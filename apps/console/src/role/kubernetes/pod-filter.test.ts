import { fieldViolationsOf } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import type { PodRow } from '../../kubernetes-view.ts';
import { podFilter } from './pod-filter.ts';

const pod = (name: string, change: Partial<PodRow> = {}): PodRow => ({
  namespace: 'lease-1',
  name,
  phase: 'Running',
  restarts: 0,
  ...change,
});

const pods = [
  pod('web-0', { node: 'gpu-01' }),
  pod('web-1', { node: 'gpu-02', restarts: 4, reason: 'CrashLoopBackOff' }),
  pod('db-0', { namespace: 'lease-2', phase: 'Pending' }),
];
const names = (typed: string): string[] => pods.filter(podFilter(typed).matches).map(({ name }) => name);

describe('the filter of pods', () => {
  it.each([
    ['', ['web-0', 'web-1', 'db-0']],
    ['web', ['web-0', 'web-1']],
    ['lease-2/db', ['db-0']],
    ['phase:pend', ['db-0']],
    ['crash', ['web-1']],
    ['restarts:4', ['web-1']],
    ['4', []],
    ['this.restarts > 3 && this.node.startsWith("gpu-")', ['web-1']],
    ['this.phase == "Pending" || this.name == "web-0"', ['web-0', 'db-0']],
  ])('takes %s for %j', (typed, expected) => {
    expect(names(typed)).toEqual(expected);
  });

  it('leaves to the API server what that can select by, and only whole names', () => {
    expect(podFilter('node:"gpu-01" namespace:"lease-1" web')).toMatchObject({ node: 'gpu-01', namespace: 'lease-1' });
    expect(podFilter('node:gpu namespace:"a,b"')).toMatchObject({ node: undefined, namespace: undefined });
    expect(podFilter('this.node == "gpu-01"').node).toBeUndefined();
  });

  it.each([
    ['this.nod == "a"', /There is no this\.nod\. There is this\.name, /],
    ['this.node = "a"', /Use == to compare/],
    ['this.name.matches("(a+)+$")', /^matches\(\) cannot be used on pods/],
    ['[1, 2].exists(a, [1, 2].exists(b, a == b))', /^exists\(\) cannot be used on pods/],
  ])('refuses %s beside the field', (typed, words) => {
    let thrown: unknown;
    try {
      podFilter(typed);
    } catch (error) {
      thrown = error;
    }
    expect(fieldViolationsOf(thrown)).toMatchObject([{ field: 'filter', description: expect.stringMatching(words) }]);
  });
});
