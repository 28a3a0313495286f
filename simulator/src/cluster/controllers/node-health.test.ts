import type { Node } from '@quartermaster/kube/shapes';
import { describe, expect, it } from 'vitest';
import { staysForMs, unknownConditions, wantedTaints } from './node-health.ts';

const now = '2026-01-01T00:01:00Z';
const nowMs = Date.parse(now);
const node = (ready: string | undefined, taints: NonNullable<Node['spec']>['taints'] = [], unschedulable = false): Node => ({
  spec: { taints: taints ?? [], unschedulable },
  status: { conditions: ready === undefined ? [] : [{ type: 'Ready', status: ready }] },
});

describe('wantedTaints', () => {
  it('repels and drives away from a node that is not heard, and lets go of one that is', () => {
    const taints = wantedTaints(node('Unknown'), now);
    expect(taints).toEqual([
      { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' },
      { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', timeAdded: now },
    ]);
    expect(wantedTaints(node('Unknown', taints), '2026-01-01T00:02:00Z')).toBeUndefined();
    expect(wantedTaints(node('True', taints), now)).toEqual([]);
  });

  it('leaves taints of others alone', () => {
    const reserved = { key: 'reserved', effect: 'NoSchedule' };
    expect(wantedTaints(node('True', [reserved]), now)).toBeUndefined();
    expect(wantedTaints(node('False', [reserved]), now)).toMatchObject([
      reserved,
      { key: 'node.kubernetes.io/not-ready' },
      { effect: 'NoExecute' },
    ]);
  });

  it('repels from a node that was cordoned or has never been ready, and drives nothing away', () => {
    expect(wantedTaints(node('True', [], true), now)).toEqual([{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }]);
    expect(wantedTaints(node(undefined), now)).toEqual([{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }]);
  });
});

describe('staysForMs', () => {
  const taint = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:50Z' };

  it.each([
    ['goes at once without a toleration', [], 0],
    ['stays for good with one that has no end', [{ key: taint.key, operator: 'Exists' }], undefined],
    [
      'stays as long as the shortest allows',
      [
        { operator: 'Exists', tolerationSeconds: 60 },
        { key: taint.key, operator: 'Exists', tolerationSeconds: 30 },
      ],
      20_000,
    ],
    ['goes when its time is over', [{ operator: 'Exists', tolerationSeconds: 5 }], -5_000],
    ['is not helped by a toleration of another effect', [{ operator: 'Exists', effect: 'NoSchedule' }], 0],
  ])('%s', (_name, tolerations, expected) => {
    expect(staysForMs(tolerations, [taint], nowMs)).toBe(expected);
  });

  it('asks nothing of pods where a taint only repels', () => {
    expect(staysForMs([], [{ key: 'reserved', effect: 'NoSchedule' }], nowMs)).toBeUndefined();
  });
});

describe('unknownConditions', () => {
  it('makes every condition unknown once, and keeps when that was', () => {
    const conditions = unknownConditions(node('True'), now);
    expect(conditions?.map(({ type, status, lastTransitionTime }) => [type, status, lastTransitionTime])).toEqual([
      ['Ready', 'Unknown', now],
      ['MemoryPressure', 'Unknown', now],
      ['DiskPressure', 'Unknown', now],
      ['PIDPressure', 'Unknown', now],
    ]);
    expect(unknownConditions({ status: { conditions: conditions ?? [] } }, '2026-01-01T00:02:00Z')).toBeUndefined();
  });
});
