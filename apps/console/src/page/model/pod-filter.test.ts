import { describe, expect, it } from 'vitest';
import type { ConsolePod } from '../../console-source.ts';
import { filterPods } from './pod-filter.ts';

const pods: ConsolePod[] = [
  { namespace: 'a', name: 'web-1', phase: 'Running', node: 'node-7', changedAt: 2 },
  { namespace: 'b', name: 'web-2', phase: 'Pending', changedAt: 1 },
];
const names = (phase: string | null, query: string): string[] => filterPods(pods, { phase, query }).map(({ name }) => name);

describe('the filter of pods', () => {
  it('wants every word, in the full name or the node', () => {
    expect(names(null, 'WEB node-7')).toEqual(['web-1']);
    expect(names(null, 'b/web')).toEqual(['web-2']);
    expect(names(null, '')).toEqual(['web-1', 'web-2']);
  });

  it('wants the phase as it is', () => {
    expect(names('Pending', '')).toEqual(['web-2']);
    expect(names('Pend', '')).toEqual([]);
  });
});
