import { describe, expect, it } from 'vitest';
import { knowledge, testGpu, testHardware, testNode } from '../../test/ledger-fixtures.ts';
import type { UnreadCards } from '../model/node-inventory.ts';
import { LeftOutObjects } from '../observe/left-out.ts';
import { observeDevices } from '../observe/observe-devices.ts';
import { observeSlice } from '../observe/observe-slice.ts';
import { needsOf } from '../views/needs.ts';
import { InventoryLedger } from './inventory-ledger.ts';

const sick = testGpu(1, '2330', { health: { state: 'unhealthy', reason: 'it is lost', code: 'XidError' } });
const report = testHardware([testGpu(0), sick]);
const two = { 'nvidia.com/gpu': '2' };
const unread = (reports: UnreadCards['reports']): UnreadCards => ({ reports, devices: false, names: false });
const nothing = unread(new Set());

function ledgerOf(...nodes: readonly Parameters<typeof testNode>[]): InventoryLedger {
  const ledger = new InventoryLedger(knowledge);
  for (const each of nodes) ledger.setNode(testNode(...each), 0);
  return ledger;
}

const available = (ledger: InventoryLedger, name = 'n1') => ledger.nodeView(name)?.gpus.map(({ amount }) => amount.available);
const codes = (ledger: InventoryLedger, name = 'n1') => ledger.nodeView(name)?.conditions.map(({ code }) => code);

describe("cards of a node whose agent's report could not be read", () => {
  it.each<[string, UnreadCards['reports']]>([
    ['its own', new Set(['n1'])],
    ['all of them', 'all'],
  ])('are not sold, and why is told: %s', (_, reports) => {
    const ledger = ledgerOf(['n1', two]);
    ledger.setUnreadCards(unread(reports), 0);
    expect([available(ledger), codes(ledger)]).toEqual([[0], ['GpuReportUnread']]);
    const node = ledger.nodeView('n1');
    expect(node?.sellability.state).toBe('sellable');
    expect(node && needsOf([node], [])).toMatchObject([{ kind: 'node', id: 'n1', reason: { code: 'GpuReportUnread' }, gpus: 2 }]);
    ledger.setHardware('n1', report, undefined, 1_000);
    expect(codes(ledger)).not.toContain('GpuReportUnread');
    ledger.setUnreadCards(nothing, 1_000);
    ledger.takeChanges(3_000);
    expect(available(ledger)).toEqual([1]);
  });

  it('are sold as they were where it was good before, and where others could not be read', () => {
    const ledger = ledgerOf(['n1', two], ['n2', two]);
    ledger.setHardware('n1', report, undefined, 0);
    ledger.setUnreadCards(unread(new Set(['n1'])), 1);
    expect([available(ledger), available(ledger, 'n2')]).toEqual([[1], [2]]);
  });

  it('are not sold on a node that comes later', () => {
    const ledger = ledgerOf();
    ledger.setUnreadCards(unread('all'), 0);
    ledger.setNode(testNode('n1', two), 1);
    expect(available(ledger)).toEqual([0]);
    ledger.setUnreadCards(nothing, 2);
    ledger.takeChanges(2_000);
    expect(available(ledger)).toEqual([2]);
  });

  it('are not sold by claims or as slices either', () => {
    const ledger = ledgerOf(['n1'], ['n2', { 'nvidia.com/mig-1g.10gb': '7' }]);
    const pool = { name: 'n1', generation: 1, resourceSliceCount: 1 };
    const attributes = { type: { string: 'gpu' }, uuid: { string: 'GPU-1' } };
    const slice = observeSlice({ spec: { driver: 'gpu.nvidia.com', nodeName: 'n1', pool, devices: [{ name: 'gpu-0', attributes }] } });
    ledger.setDevices('n1', observeDevices([slice], []).get('n1') ?? [], 0);
    const slices = () => ledger.nodeView('n2')?.extended.get('nvidia.com/mig-1g.10gb')?.available;
    expect([available(ledger), slices()]).toEqual([[1], 7]);
    ledger.setUnreadCards(unread('all'), 1);
    expect([available(ledger), slices()]).toEqual([[0], 0]);
  });

  it('are not sold either where it was read, but no cards could be made of it', () => {
    const leftOut = new LeftOutObjects({
      open: () => {
        throw new Error('nothing is read here');
      },
    });
    const ledger = new InventoryLedger(knowledge, (source, object, take) => leftOut.taking(source, object, take));
    ledger.setNode(testNode('n1', two), 0);
    ledger.setHardware('n1', testHardware([testGpu(0, '2330', { computeCapability: 9 as never }), sick]), undefined, 0);
    ledger.setUnreadCards(unread(leftOut.of('gpu-cards')), 1);
    expect([available(ledger), codes(ledger)]).toEqual([[0], ['GpuReportUnread']]);
  });
});
