import { describe, expect, it } from 'vitest';
import { gi, knowledge, testGpu, testHardware, testNode, testPod } from '../../test/ledger-fixtures.ts';
import { InventoryLedger } from './inventory-ledger.ts';

const names = Array.from({ length: 100 }, (_, index) => `n${index}`);
const nothing = { nodes: [], removed: [] };

/** Nodes of 16 cores, 64 Gi and one card, whose use has been told. */
function measuredLedger() {
  const ledger = new InventoryLedger(knowledge);
  const measure = (cpuMillis: number, memoryBytes: number, node = 'n0') =>
    ledger.setUtilization(node, { utilization: { cpuMillis, memoryBytes, observedAt: cpuMillis } }, 0);
  const busy = (...percent: number[]) =>
    ledger.setUtilization('n0', { gpuPercent: new Map(percent.map((each, index) => [`GPU-${index}`, each])) }, 0);
  const taken = () => {
    const changes = ledger.takeChanges(0);
    for (const name of changes.nodes) ledger.nodeView(name);
    return changes;
  };
  for (const name of names) {
    ledger.setNode(testNode(name), 0);
    measure(1000, gi, name);
  }
  ledger.setHardware('n0', testHardware([testGpu(0)]), undefined, 0);
  busy(50);
  taken();
  return { ledger, measure, busy, taken };
}

describe('a poll of what is used', () => {
  it('changes the nodes whose figures moved by more than 1 % of what they have, and no others', () => {
    const { measure, taken } = measuredLedger();
    for (const name of names) measure(1160, 1.5 * gi, name);
    expect(taken()).toEqual(nothing);
    for (const name of names) measure(name === 'n7' ? 1161 : 900, name === 'n8' ? 2 * gi : gi, name);
    expect(taken()).toEqual({ nodes: ['n7', 'n8'], removed: [] });
  });

  it('changes a node that is no longer measured, once', () => {
    const { ledger, taken } = measuredLedger();
    const shown = () => [taken().nodes, ledger.nodeView('n0')?.utilization];
    for (const changed of [['n0'], []]) {
      ledger.setUtilization('n0', { utilization: 'none' }, 0);
      expect(shown()).toEqual([changed, undefined]);
    }
  });

  it('tells of small steps once they add up', () => {
    const { ledger, measure, taken } = measuredLedger();
    const told = Array.from({ length: 40 }, (_, step) => {
      measure(1000 + (step + 1) * 10, gi);
      return taken().nodes.length === 0 ? [] : [ledger.nodeView('n0')?.utilization?.cpuMillis];
    });
    expect(told.flat()).toEqual([1170, 1340]);
  });

  it('has the newest figures go with whatever else changes', () => {
    const { ledger, measure, taken } = measuredLedger();
    measure(1010, gi);
    expect([taken(), ledger.nodeView('n0')?.utilization?.cpuMillis]).toEqual([nothing, 1000]);
    ledger.setPod(testPod('a', 'n0', { cpuMillis: 1 }), 0);
    expect([taken().nodes, ledger.nodeView('n0')?.utilization?.cpuMillis]).toEqual([['n0'], 1010]);
  });

  it('changes a node where a card is 5 points more or less busy, or no longer has a figure', () => {
    const { ledger, busy, taken } = measuredLedger();
    const shown = () => [taken().nodes, ledger.nodeView('n0')?.devices[0]?.utilization];
    for (const percent of [52, 54, 46]) {
      busy(percent);
      expect(shown()).toEqual([[], 50]);
    }
    busy(45);
    expect(shown()).toEqual([['n0'], 45]);
    busy();
    expect(shown()).toEqual([['n0'], undefined]);
    busy();
    expect(shown()).toEqual([[], undefined]);
  });
});
