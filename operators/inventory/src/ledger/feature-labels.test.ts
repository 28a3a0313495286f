import { describe, expect, it } from 'vitest';
import { testNode } from '../../test/ledger-fixtures.ts';
import { expectedGpuResources } from './feature-labels.ts';
import { InventoryLedger } from './inventory-ledger.ts';

const label = (name: string): string => `feature.node.kubernetes.io/${name}`;

describe('expectedGpuResources', () => {
  it.each([
    ['pci-0302_10de.present', ['nvidia.com/gpu']],
    ['pci-0300_10de.present', ['nvidia.com/gpu']],
    ['pci-10de.present', ['nvidia.com/gpu']],
    ['pci-1200_1002.present', ['amd.com/gpu']],
    ['pci-0200_15b3.present', []],
    ['pci-0200_10de.present', []],
    ['cpu-cpuid.AVX2', []],
  ])('reads %s', (name, resources) => {
    expect(expectedGpuResources({ [label(name)]: 'true' })).toEqual(resources);
  });

  it('takes only what is said to be there', () => {
    expect(expectedGpuResources({ [label('pci-10de.present')]: 'false' })).toEqual([]);
  });
});

describe('a node on whose bus Node Feature Discovery sees cards', () => {
  const codes = (ledger: InventoryLedger): string[] | undefined => ledger.nodeView('n1')?.conditions.map(({ code }) => code);
  const withLabel = (capacity: Record<string, string>) => {
    const node = testNode('n1');
    const labels = { ...node.labels, [label('pci-0302_10de.present')]: 'true' };
    return { ...node, labels, capacity: { ...node.capacity, ...capacity }, allocatable: { ...node.allocatable, ...capacity } };
  };

  it('says so when no device plugin offers them, and no longer once one does', () => {
    const ledger = new InventoryLedger({ overrides: new Map(), database: new Map(), pciNames: new Map() });
    const { 'nvidia.com/gpu': _, ...bare } = withLabel({}).capacity;
    ledger.setNode({ ...withLabel({}), capacity: bare, allocatable: bare }, 0);
    expect(codes(ledger)).toContain('GpuWithoutPlugin');
    ledger.setNode(withLabel({ 'nvidia.com/gpu': '8' }), 1);
    expect(codes(ledger)).not.toContain('GpuWithoutPlugin');
  });
});
