import { describe, expect, it } from 'vitest';
import { testNode } from '../../test/ledger-fixtures.ts';
import { defaultInventoryConfig } from '../config/inventory-config.ts';
import { observeNode } from '../observe/observe-node.ts';
import { InventoryLedger } from './inventory-ledger.ts';
import { nodeStaleness } from './node-staleness.ts';
import { nodeReasons } from './sellability.ts';

const transition = '2026-01-01T00:10:00Z';

/** As the cache projects a node of which the API server says so. */
function observed(status: string, heartbeat: string) {
  const condition = { type: 'Ready', status, reason: 'x', lastTransitionTime: transition, lastHeartbeatTime: heartbeat };
  return observeNode({ metadata: { name: 'n1', uid: 'u1' }, status: { conditions: [condition] } });
}

describe('nodeStaleness', () => {
  it('is empty while the kubelet reports, well or ill', () => {
    for (const status of ['True', 'False']) expect(nodeStaleness(observed(status, '2026-01-01T00:20:00Z'))).toEqual([]);
  });

  it('dates a silence as the reason for it does: by when the API server found it', () => {
    const since = Date.parse(transition);
    const node = observed('Unknown', '2026-01-01T00:06:00Z');
    expect(nodeStaleness(node)).toMatchObject([{ source: 'kubelet', lastContactAt: since }]);
    expect(nodeReasons(node, defaultInventoryConfig, { node: [], taints: new Set() })).toMatchObject([{ code: 'ReadyUnknown', since }]);
  });

  it('says that a node without the condition was never heard', () => {
    expect(nodeStaleness({ conditions: [] })).toEqual([
      { source: 'kubelet', lastContactAt: undefined, reason: 'the kubelet has not reported yet' },
    ]);
  });
});

describe('a node in the ledger', () => {
  it('is not changed by heartbeats, and carries one time from its silence until it is heard again', () => {
    const ledger = new InventoryLedger({ overrides: new Map(), database: new Map(), pciNames: new Map() });
    const tell = (status: string, heartbeat: string, now: number) => {
      ledger.setNode({ ...testNode('n1'), conditions: observed(status, heartbeat).conditions }, now);
      return ledger.takeChanges(now).nodes;
    };
    expect(tell('True', '2026-01-01T00:08:00Z', 1)).toEqual(['n1']);
    expect(tell('True', '2026-01-01T00:09:00Z', 2)).toEqual([]);
    expect(ledger.nodeView('n1')?.stale).toEqual([]);
    expect(tell('Unknown', '2026-01-01T00:09:00Z', 3)).toEqual(['n1']);
    expect(tell('Unknown', '2026-01-01T00:09:00Z', 60_000)).toEqual([]);
    expect(ledger.nodeView('n1')?.stale).toMatchObject([{ source: 'kubelet', lastContactAt: Date.parse(transition) }]);
    expect(tell('True', '2026-01-01T00:30:00Z', 60_001)).toEqual(['n1']);
    expect(ledger.nodeView('n1')?.stale).toEqual([]);
  });
});
