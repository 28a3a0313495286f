import { describe, expect, it } from 'vitest';
import type { ConsoleSource, InventorySource, PodPage, PodQuery } from '../console-source.ts';
import { search } from './search.ts';

const pods = ['my-node-agent', 'node-exporter'].map((name) => ({ namespace: 'tools', name, phase: 'Running', changedAt: 0 }));
const inventory: Pick<InventorySource, 'search'> = {
  search: (query, limit) => ({
    hits: Array.from({ length: 30 }, (_, index) => ({ kind: 'node', id: `node-${index}`, label: `node-${index}`, detail: 'sellable' }))
      .filter(({ label }) => label.includes(query.trim().toLowerCase()))
      .slice(0, limit),
    searched: ['node'],
  }),
};
const source = (of: Pick<InventorySource, 'search'> | undefined): ConsoleSource => ({
  current: () => ({
    installation: { version: '1', startedAt: 0, kubernetes: 'given', server: 's', kubeconfig: 'k' },
    parts: [{ name: 'console', kind: 'embedded', state: 'ready', since: 0, facts: {} }],
  }),
  pods: ({ text = '' }: PodQuery): PodPage => ({ total: 2, matching: 2, pods: pods.filter(({ name }) => name.includes(text)) }),
  inventory: of as InventorySource | undefined,
  subscribe: () => () => {},
});

describe('search', () => {
  it('finds parts and pods beside what the inventory finds, whatever their case', () => {
    expect(search(source(inventory), ' CONSOLE ')).toMatchObject([{ kind: 'part', id: 'console' }]);
    expect(search(source(inventory), 'node-29')).toMatchObject([{ kind: 'node', id: 'node-29' }]);
    expect(search(source(undefined), 'agent')).toMatchObject([{ kind: 'pod', id: 'tools/my-node-agent' }]);
    expect(search(source(inventory), '  ')).toEqual([]);
  });

  it('shows a dozen at most, names that start with the words first, and lets no kind crowd out another', () => {
    const hits = search(source(inventory), 'node');
    expect(hits).toHaveLength(12);
    expect(hits[0]).toMatchObject({ kind: 'node', label: 'node-0' });
    expect(hits.filter(({ kind }) => kind === 'pod').map(({ label }) => label)).toEqual(['node-exporter', 'my-node-agent']);
    expect(hits.at(-1)?.label).toBe('my-node-agent');
  });
});
