import { describe, expect, it } from 'vitest';
import { knowledge, testGpu, testHardware, testNode } from '../../test/ledger-fixtures.ts';
import type { HealthSignal } from '../config/health-signal.ts';
import { defaultInventoryConfig } from '../config/inventory-config.ts';
import { LeftOutObjects } from '../observe/left-out.ts';
import { InventoryLedger } from './inventory-ledger.ts';

const gpus = { 'nvidia.com/gpu': '1' };
const noCaches = {
  open: () => {
    throw new Error('nothing is read here');
  },
};
/** Of a type that no shape lets through: as a bug would. */
const oddCard = testGpu(0, '2330', { computeCapability: 9 as never });

function setUp() {
  const leftOut = new LeftOutObjects(noCaches);
  const ledger = new InventoryLedger(knowledge, (source, object, take) => leftOut.taking(source, object, take));
  for (const name of ['good', 'odd']) {
    ledger.setNode(testNode(name, gpus), 0);
    ledger.setHardware(name, testHardware([testGpu(0)]), undefined, 0);
  }
  const leftOutNames = () => leftOut.current().map(({ source, named }) => [source, ...named.map(({ name }) => name)]);
  const capacities = () => ['good', 'odd'].map((name) => ledger.nodeView(name)?.gpus[0]?.amount.capacity);
  return { ledger, leftOutNames, capacities };
}

describe('a node that cannot be counted', () => {
  it('keeps the cards that it had, is named, and costs no other node anything', () => {
    const { ledger, leftOutNames, capacities } = setUp();
    ledger.setHardware('odd', testHardware([oddCard, testGpu(1)]), undefined, 1);
    expect([leftOutNames(), capacities()]).toEqual([[['gpu-cards', 'odd']], [1, 1]]);
    ledger.setGpuDatabase({ ...knowledge, overrides: new Map() }, 2);
    ledger.setConfig({ ...defaultInventoryConfig, healthSignals: [] }, 3);
    expect(ledger.totals().nodes).toEqual({ sellable: 2, heldBack: 0, unknown: 0 });
    expect(ledger.takeChanges(4).nodes.toSorted()).toEqual(['good', 'odd']);
    ledger.setHardware('odd', testHardware([testGpu(0), testGpu(1)]), undefined, 5);
    expect([leftOutNames(), capacities()]).toEqual([[], [1, 2]]);
  });

  it('is as it last was while no view of it can be made, and forgotten with it', () => {
    const { ledger, leftOutNames, capacities } = setUp();
    const before = ledger.totals();
    let isLooked = false;
    const odd = () => {
      if (isLooked) throw new Error('no figure');
      isLooked = true;
      return 50;
    };
    ledger.setUtilization('odd', { gpuPercent: { get: odd } as never }, 1);
    expect([ledger.totals(), capacities(), leftOutNames()]).toEqual([before, [1, 1], [['node-views', 'odd']]]);
    ledger.removeNode('odd', 2);
    expect([leftOutNames(), capacities()]).toEqual([[], [1, undefined]]);
  });

  it('is sold as before while nobody can judge it', () => {
    const { ledger, leftOutNames } = setUp();
    ledger.setNode(testNode('odd', gpus, { labels: { odd: 'yes' } }), 1);
    const throwing: HealthSignal = {
      kind: 'label',
      name: 'odd',
      get holds(): never {
        throw new Error('nobody knows');
      },
    };
    ledger.setConfig({ ...defaultInventoryConfig, healthSignals: [throwing] }, 2);
    expect([leftOutNames(), ledger.totals().nodes]).toEqual([[['sellability', 'odd']], { sellable: 2, heldBack: 0, unknown: 0 }]);
    ledger.setConfig({ ...defaultInventoryConfig, healthSignals: [{ kind: 'label', name: 'odd', holds: 'node' }] }, 3);
    expect([leftOutNames(), ledger.totals().nodes]).toEqual([[], { sellable: 1, heldBack: 1, unknown: 0 }]);
  });
});
