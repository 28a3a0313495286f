import { describe, expect, it } from 'vitest';
import type { ConsoleSnapshot, PodPage, PodQuery } from '../console-source.ts';
import { search } from './search.ts';
import type { TopicInput } from './topic-readers.ts';

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
  },
};
const pods = ['my-node-agent', 'node-exporter'].map((name) => ({ namespace: 'tools', name, phase: 'Running', changedAt: 0 }));
const input: TopicInput = {
  snapshot,
  source: { pods: ({ text = '' }: PodQuery): PodPage => ({ total: 2, matching: 2, pods: pods.filter(({ name }) => name.includes(text)) }) },
};

describe('search', () => {
  it('finds parts, nodes and pods, whatever their case', () => {
    expect(search(input, ' CONSOLE ')).toMatchObject([{ kind: 'part', id: 'console' }]);
    expect(search(input, 'node-29')).toMatchObject([{ kind: 'node', id: 'node-29' }]);
    expect(search(input, 'agent')).toMatchObject([{ kind: 'pod', id: 'tools/my-node-agent' }]);
  });

  it('shows a dozen at most, names that start with the words first, and lets no kind crowd out another', () => {
    const hits = search(input, 'node');
    expect(hits).toHaveLength(12);
    expect(hits[0]).toMatchObject({ kind: 'node', label: 'node-0' });
    expect(hits.filter(({ kind }) => kind === 'pod').map(({ label }) => label)).toEqual(['node-exporter', 'my-node-agent']);
    expect(hits.at(-1)?.label).toBe('my-node-agent');
  });

  it('finds nothing for nothing, and nothing in a cluster that has not been read', () => {
    expect(search(input, '  ')).toEqual([]);
    const unread = { snapshot: { installation: snapshot.installation, parts: [] }, source: { pods: () => undefined } };
    expect(search(unread, 'node')).toEqual([]);
  });
});
