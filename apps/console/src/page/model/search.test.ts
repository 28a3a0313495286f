import { describe, expect, it } from 'vitest';
import type { ConsoleSnapshot } from '../../console-source.ts';
import { search } from './search.ts';

const snapshot: ConsoleSnapshot = {
  installation: { version: '1', startedAt: 0, kubernetes: 'given', server: 's', kubeconfig: 'k' },
  parts: [{ name: 'console', kind: 'embedded', state: 'ready', since: 0, facts: {} }],
  cluster: {
    observedAt: 0,
    nodes: Array.from({ length: 30 }, (_, index) => ({
      name: `node-${index}`,
      isReady: true,
      state: 'Ready',
      cpuMillis: 1,
      memoryBytes: 1,
      gpus: {},
      pods: 0,
    })),
    podsByPhase: {},
    recentPods: [{ namespace: 'a', name: 'my-node-agent', phase: 'Running', changedAt: 0 }],
  },
};

describe('search', () => {
  it('finds parts, nodes and pods, whatever their case', () => {
    expect(search(snapshot, ' CONSOLE ')).toMatchObject([{ kind: 'part', href: '/' }]);
    expect(search(snapshot, 'node-29')).toMatchObject([{ kind: 'node', href: '/nodes/node-29' }]);
    expect(search(snapshot, 'agent')).toMatchObject([{ kind: 'pod', href: '/pods?q=a%2Fmy-node-agent' }]);
  });

  it('puts names that start with the words before those that hold them, and shows a dozen at most', () => {
    const hits = search(snapshot, 'node-2');
    expect(hits.map(({ label }) => label)).toContain('node-29');
    expect(search(snapshot, 'node')).toHaveLength(12);
    expect(search(snapshot, 'node')[0]?.label).toBe('node-0');
  });

  it('finds nothing for nothing', () => {
    expect(search(snapshot, '  ')).toEqual([]);
    expect(search({ installation: snapshot.installation, parts: [] }, 'node')).toEqual([]);
  });
});
