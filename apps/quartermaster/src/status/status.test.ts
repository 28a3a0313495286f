import { describe, expect, it } from 'vitest';
import { ago } from '../text/time-text.ts';
import { statusText } from './status.ts';

const installation = { version: '1', startedAt: 0, kubernetes: 'simulated', server: 'https://127.0.0.1:1', kubeconfig: '/k' } as const;

describe('statusText', () => {
  it('lists parts with their reasons and sums the cluster up', () => {
    const text = statusText(
      {
        installation,
        parts: [
          { name: 'console', kind: 'embedded', state: 'ready', since: 0, facts: { address: 'http://127.0.0.1:2' } },
          { name: 'inventory', kind: 'role', state: 'failed', reason: 'it lost its mind', since: 55_000, facts: {} },
        ],
        observedAt: 58_000,
        cluster: {
          nodeCount: 2,
          readyCount: 1,
          nodesByState: [],
          podCount: 4,
          podsByPhase: { Running: 3, Pending: 1 },
          gpuModels: [
            { model: 'h100', total: 10, usable: 8, nodes: 2 },
            { model: 't4', total: 1, usable: 0, nodes: 1 },
          ],
          cpuMillis: 2,
          usableCpuMillis: 1,
          memoryBytes: 2,
          usableMemoryBytes: 1,
        },
      },
      60_000,
    );
    expect(text).toBe(
      [
        'PART       KIND      STATE   SINCE  DETAILS',
        'console    embedded  ready   1m     address http://127.0.0.1:2',
        'inventory  role      failed  5s     it lost its mind',
        '',
        'nodes       1 of 2 ready',
        'GPUs        11',
        'pods        1 Pending, 3 Running',
        'as of       2s ago',
        '',
        'kubeconfig  /k',
        '',
      ].join('\n'),
    );
  });

  it('does not take an unread cluster for an empty one', () => {
    expect(statusText({ installation, parts: [] }, 0)).toContain('The cluster has not been read yet.');
  });
});

describe('ago', () => {
  it.each([
    [-5, '0s'],
    [59_999, '59s'],
    [60_000, '1m'],
    [3_599_000, '59m'],
    [7_200_000, '2h'],
    [200_000_000, '2d'],
  ])('%d ms is %s', (ms, text) => {
    expect(ago(ms)).toBe(text);
  });
});
