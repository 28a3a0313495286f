import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { knowledge, testGpu, testHardware, testNode } from '../../test/ledger-fixtures.ts';
import { parseInventoryConfig } from '../config/parse-inventory-config.ts';
import { InventoryLedger } from '../ledger/inventory-ledger.ts';
import type { NodeInventory } from '../model/node-inventory.ts';
import type { ObservedNode } from '../model/observed.ts';
import { capabilityKey } from './label-keys.ts';
import { planLabels } from './node-labels.ts';

const prefix = 'akash.network/capabilities.';

function viewOf(
  more: Partial<ObservedNode> = {},
  gpus = [testGpu(0), testGpu(1), testGpu(2, '1eb8')],
  config = 'version: v1',
): NodeInventory {
  const ledger = new InventoryLedger(knowledge);
  ledger.setConfig(parseInventoryConfig(config), 0);
  ledger.setStorageClasses([{ name: 'beta2' }, { name: 'default' }], 0);
  ledger.setHardware('n1', testHardware(gpus), undefined, 0);
  ledger.setNode(testNode('n1', { 'nvidia.com/gpu': String(gpus.length) }, more), 0);
  const view = ledger.nodeView('n1');
  if (view === undefined) throw new Error('the node is known');
  return view;
}

const nodeLabels = (view: NodeInventory) => planLabels(view, {}).desired;

describe('planLabels', () => {
  it('says what a node has in both forms', () => {
    expect(nodeLabels(viewOf())).toEqual({
      'akash.network': 'true',
      'nvidia.com/gpu.present': 'true',
      [`${prefix}storage.class.beta2`]: 'true',
      [`${prefix}storage.class.default`]: 'true',
      [`${prefix}gpu.vendor.nvidia`]: 'true',
      [`${prefix}gpu.model.h100`]: 'true',
      [`${prefix}gpu.model.t4`]: 'true',
      [`${prefix}gpu.vendor.nvidia.model.h100`]: '2',
      [`${prefix}gpu.vendor.nvidia.model.h100.ram.80Gi`]: '2',
      [`${prefix}gpu.vendor.nvidia.model.h100.interface.sxm`]: '2',
      [`${prefix}gpu.vendor.nvidia.model.t4`]: '1',
      [`${prefix}gpu.vendor.nvidia.model.t4.ram.16Gi`]: '1',
      [`${prefix}gpu.vendor.nvidia.model.t4.interface.pcie`]: '1',
    });
  });

  it('adds up cards of one model that differ in memory', () => {
    const labels = nodeLabels(viewOf({}, [testGpu(0, '20b0'), testGpu(1, '20b2')]));
    expect(labels[`${prefix}gpu.vendor.nvidia.model.a100`]).toBe('2');
    expect(labels[`${prefix}gpu.vendor.nvidia.model.a100.ram.40Gi`]).toBe('1');
    expect(labels[`${prefix}gpu.vendor.nvidia.model.a100.interface.sxm`]).toBe('2');
  });

  it('labels a card that nobody knows by its vendor and its ids', () => {
    const labels = nodeLabels(viewOf({}, [testGpu(0, 'ffff')]));
    expect(labels[`${prefix}gpu.vendor.nvidia`]).toBe('true');
    expect(labels[`${prefix}gpu.model.unknown-10de-ffff`]).toBe('true');
  });

  it.each<[string, Partial<ObservedNode>]>([
    ['silent', { conditions: [{ type: 'Ready', status: 'Unknown', reason: '' }] }],
    ['not ready', { conditions: [{ type: 'Ready', status: 'False', reason: '' }] }],
    ['cordoned', { unschedulable: true }],
    ['tainted', { taints: [{ key: 'a', value: '', effect: 'NoSchedule' }] }],
  ])('keeps the labels of a node that is %s', (_, more) => {
    expect(viewOf(more).sellability.state).not.toBe('sellable');
    expect(nodeLabels(viewOf(more))).toEqual(nodeLabels(viewOf()));
  });

  it('has none for a node that is excluded or being deleted', () => {
    expect(nodeLabels(viewOf({}, [], 'exclude: { nodes: [n1] }'))).toEqual({});
    expect(nodeLabels(viewOf({ deleting: true }))).toEqual({});
  });
});

describe('planLabels of what nobody can tell', () => {
  const carried = nodeLabels(viewOf());
  const other = () => viewOf({}, [testGpu(0, '1eb8')]);
  const without = (part: string) => Object.fromEntries(Object.entries(carried).filter(([key]) => !key.includes(part)));

  it('leaves the labels of cards as they are, whatever cards there seem to be', () => {
    for (const gpus of ['cards', 'models'] as const) {
      const { desired, undecided } = planLabels({ ...other(), undecided: { gpus, storageClasses: [] } }, carried);
      expect(desired).toEqual(without('gpu'));
      expect(undecided.toSorted()).toEqual(
        Object.keys(carried)
          .filter((key) => key.includes('gpu'))
          .toSorted(),
      );
    }
  });

  it('labels cards of uncertain name on a node without such labels, and no cards that are not known', () => {
    const present = { 'nvidia.com/gpu.present': 'true' };
    const models = planLabels({ ...other(), undecided: { gpus: 'models', storageClasses: [] } }, present);
    expect(models.desired).toMatchObject({ [`${prefix}gpu.model.t4`]: 'true' });
    const cards = planLabels({ ...other(), undecided: { gpus: 'cards', storageClasses: [] } }, present);
    expect(Object.keys(cards.desired).filter((key) => key.includes('gpu'))).toEqual([]);
  });

  it('is decided where an agent has found cards, whether or not devices of drivers can be read', () => {
    const ledger = new InventoryLedger(knowledge);
    const names = ['found', 'none-found', 'unreadable', 'no-agent'];
    for (const name of names) ledger.setNode(testNode(name, { 'nvidia.com/gpu': '1' }), 0);
    ledger.setHardware('found', testHardware([testGpu(0)]), undefined, 0);
    ledger.setHardware('none-found', testHardware([]), undefined, 0);
    ledger.setHardware('unreadable', testHardware([testGpu(0)]), undefined, 0);
    const undecided = () => names.filter((name) => ledger.nodeView(name)?.undecided?.gpus === 'cards');
    expect(undecided()).toEqual([]);
    ledger.setUnreadCards({ reports: new Set(['unreadable']), devices: true, names: false }, 1);
    expect(undecided()).toEqual(['none-found', 'unreadable', 'no-agent']);
    ledger.setUnreadCards({ reports: new Set(['unreadable']), devices: false, names: false }, 2);
    expect(undecided()).toEqual(['unreadable']);
    expect(ledger.takeChanges(2).nodes).toEqual(expect.arrayContaining(names));
    ledger.setUnreadCards({ reports: new Set(), devices: false, names: false }, 3);
    expect(ledger.takeChanges(3).nodes).toEqual(['unreadable']);
  });

  it('leaves labels of classes as they are, those that are there and those that are not', () => {
    const view = { ...viewOf(), storageClasses: [] };
    const some = planLabels({ ...view, undecided: { gpus: undefined, storageClasses: ['beta2', 'beta3'] } }, carried);
    expect(some.desired).toEqual(without('storage'));
    expect(some.undecided).toEqual([`${prefix}storage.class.beta2`]);
    const all = planLabels({ ...view, undecided: { gpus: undefined, storageClasses: 'all' } }, carried);
    expect(all.undecided.toSorted()).toEqual([`${prefix}storage.class.beta2`, `${prefix}storage.class.default`]);
  });

  it('takes all labels from a node that the configuration excludes', () => {
    const view = viewOf({}, [], 'exclude: { nodes: [n1] }');
    expect(planLabels({ ...view, undecided: { gpus: 'cards', storageClasses: 'all' } }, carried)).toEqual({ desired: {}, undecided: [] });
  });
});

describe('capabilityKey', () => {
  it('leaves keys of 63 characters as they are', () => {
    const key = capabilityKey('gpu', 'vendor', 'nvidia', 'model', 'rtx4000sada', 'interface', 'pcie');
    expect(key).toBe(`${prefix}gpu.vendor.nvidia.model.rtx4000sada.interface.pcie`);
    expect(key.split('/')[1]).toHaveLength(63);
  });

  it('shortens longer ones always in the same way', () => {
    expect(capabilityKey('gpu', 'vendor', 'nvidia', 'model', 'rtx4000superada', 'interface', 'pcie')).toBe(
      `${prefix}gpu.vendor.nvidia.model.rtx4000superada.i-8725228f`,
    );
  });

  it('gives keys that Kubernetes accepts, different ones for different parts', () => {
    const part = fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,60}[a-z0-9])?$/);
    fc.assert(
      fc.property(part, part, (a, b) => {
        const [first, second] = [a, b].map((model) => capabilityKey('gpu', 'vendor', 'nvidia', 'model', model, 'interface', 'pcie'));
        expect(first).toMatch(/^akash\.network\/[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/);
        expect(first === second).toBe(a === b);
      }),
    );
  });
});
