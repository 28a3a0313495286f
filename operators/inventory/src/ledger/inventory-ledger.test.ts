import { describe, expect, it } from 'vitest';
import { gi, knowledge, testGpu, testHardware, testNode, testPod } from '../../test/ledger-fixtures.ts';
import { parseInventoryConfig } from '../config/parse-inventory-config.ts';
import { parseGpuDatabase } from '../gpu/gpu-database.ts';
import type { NodeInventory } from '../model/node-inventory.ts';
import type { ObservedNode } from '../model/observed.ts';
import { needsOf } from '../views/needs.ts';
import { nodeDivision } from '../views/node-division.ts';
import { InventoryLedger } from './inventory-ledger.ts';

const setUp = (): InventoryLedger => new InventoryLedger(knowledge);

function view(ledger: InventoryLedger, name = 'n1'): NodeInventory {
  const found = ledger.nodeView(name);
  if (found === undefined) throw new Error(`node ${name} is known`);
  return found;
}

const codes = (reasons: readonly { readonly code: string }[]): string[] => reasons.map(({ code }) => code);

describe('what pods take', () => {
  it('returns to nothing after a thousand small pods have come and gone', () => {
    const ledger = setUp();
    ledger.setNode(testNode('n1'), 0);
    for (let i = 0; i < 1000; i += 1) {
      ledger.setPod(testPod('p', 'n1', { cpuMillis: 100, memoryBytes: 3 }), i);
      expect(view(ledger).cpu.allocated).toBe(100);
      ledger.removePod('p', i);
    }
    expect(view(ledger)).toMatchObject({ cpu: { allocated: 0, available: 16_000 }, memory: { allocated: 0 }, pods: 0 });
  });

  it('leaves the rest of a view as it is when a pod takes no card', () => {
    const ledger = setUp();
    ledger.setNode(testNode('n1', { 'nvidia.com/gpu': '2', 'hugepages-2Mi': '1Gi' }), 0);
    ledger.setHardware('n1', testHardware([testGpu(0), testGpu(1)]), undefined, 0);
    const before = view(ledger);
    ledger.setPod(testPod('p', 'n1', { cpuMillis: 100 }), 1);
    const after = view(ledger);
    expect(after).toMatchObject({ cpu: { allocated: 100 }, pods: 1, podLimit: 110, observedAt: 1 });
    for (const part of ['memory', 'gpus', 'devices', 'extended', 'conditions', 'sellability', 'hardware'] as const) {
      expect(after[part]).toBe(before[part]);
    }
    ledger.setPod(testPod('q', 'n1', { extended: { 'nvidia.com/gpu': 1 } }), 2);
    expect(view(ledger).gpus).toMatchObject([{ amount: { allocated: 1 } }]);
  });

  it('names the holder of a card as soon as its pod is there, though the pod asks for nothing', () => {
    const ledger = setUp();
    ledger.setNode(testNode('n1', { 'nvidia.com/gpu': '1' }), 0);
    const devices = [{ resource: 'nvidia.com/gpu', deviceId: 'GPU-0', namespace: 'lease-1', pod: 'p', container: 'main' }];
    ledger.setHardware('n1', testHardware([testGpu(0)]), { devices }, 0);
    expect(view(ledger).devices).toMatchObject([{ id: 'GPU-0' }]);
    expect(view(ledger).devices[0]?.holder).toBeUndefined();
    ledger.setPod(testPod('p', 'n1'), 1);
    expect(view(ledger).devices).toMatchObject([{ holder: { pod: 'p', podUid: 'p' } }]);
    ledger.removePod('p', 2);
    expect(view(ledger).devices[0]?.holder).toBeUndefined();
  });

  it('tells pods of one name in two namespaces apart', () => {
    const ledger = setUp();
    ledger.setNode(testNode('n1'), 0);
    ledger.setPod(testPod('a', 'n1', { cpuMillis: 1000 }, { namespace: 'lease-1', name: 'web-0' }), 0);
    ledger.setPod(testPod('b', 'n1', { cpuMillis: 2000 }, { namespace: 'lease-2', name: 'web-0' }), 0);
    expect(view(ledger).cpu.allocated).toBe(3000);
    ledger.removePod('a', 1);
    expect(view(ledger).cpu.allocated).toBe(2000);
  });

  it('counts a pod that is told of before its node, and still after the node was away', () => {
    const ledger = setUp();
    ledger.setPod(testPod('a', 'n1', { cpuMillis: 1000 }), 0);
    expect(ledger.nodeView('n1')).toBeUndefined();
    ledger.setNode(testNode('n1'), 1);
    ledger.removeNode('n1', 2);
    expect(ledger.nodeView('n1')).toBeUndefined();
    expect(ledger.totals().nodes).toEqual({ sellable: 0, heldBack: 0, unknown: 0 });
    ledger.setNode(testNode('n1'), 3);
    expect(view(ledger).cpu.allocated).toBe(1000);
  });

  it('frees what a finished pod took, and follows one that is resized', () => {
    const ledger = setUp();
    ledger.setNode(testNode('n1'), 0);
    ledger.setPod(testPod('a', 'n1', { cpuMillis: 1000 }), 0);
    ledger.setPod(testPod('a', 'n1', { cpuMillis: 250 }), 1);
    expect(view(ledger).cpu.allocated).toBe(250);
    ledger.setPod(testPod('a', ''), 2);
    expect(view(ledger)).toMatchObject({ cpu: { allocated: 0 }, pods: 0 });
  });

  it('holds volumes on the filesystem of ephemeral storage back from what pods may get of it', () => {
    const ledger = setUp();
    ledger.setNode(testNode('n1'), 0);
    const before = view(ledger).ephemeralStorage;
    const held = { ...before, available: before.available - 3 * gi };
    ledger.setVolumesInEphemeral({ bytes: new Map([['n1', 3 * gi]]), unread: new Set() }, 1);
    expect(view(ledger).ephemeralStorage).toEqual(held);
    // The volumes of a node that goes and comes back were there all the time.
    ledger.removeNode('n1', 1);
    ledger.setNode(testNode('n1'), 1);
    expect(view(ledger).ephemeralStorage).toEqual(held);
    ledger.setVolumesInEphemeral({ bytes: new Map(), unread: new Set() }, 2);
    expect(view(ledger).ephemeralStorage).toEqual(before);
  });

  it.each<[string, 'all' | ReadonlySet<string>]>([
    ['its own', new Set(['n1'])],
    ['all of them', 'all'],
  ])('leave unknown what is left of ephemeral storage while volumes there could not be read: %s', (_, unread) => {
    const ledger = setUp();
    ledger.setVolumesInEphemeral({ bytes: new Map([['n1', 3 * gi]]), unread }, 0);
    ledger.setNode(testNode('n1'), 0);
    ledger.setPod(testPod('a', 'n1', { ephemeralStorageBytes: 30 * gi }), 0);
    const node = view(ledger);
    expect(node).toMatchObject({
      sellability: { state: 'sellable' },
      conditions: [{ code: 'VolumesUnread' }],
      undecided: { ephemeralStorage: 'available' },
      ephemeralStorage: { capacity: 100 * gi, available: 0, overcommitted: 0 },
    });
    expect(nodeDivision(node)).toMatchObject({
      cpu: { division: { sellable: 16_000 } },
      disk: {
        division: { allocated: 30 * gi, sellable: 0, heldBack: 0, unknown: 70 * gi },
        why: [{ state: 'unknown', code: 'VolumesUnread', amount: 70 * gi, nodes: 1 }],
      },
    });
    expect(needsOf([node], [])).toMatchObject([{ kind: 'node', state: 'unknown', reason: { code: 'VolumesUnread' }, bytes: 70 * gi }]);
    expect(ledger.totals()).toMatchObject({
      nodes: { sellable: 1, unknown: 0 },
      sellable: { ephemeralStorage: { capacity: BigInt(30 * gi), allocated: BigInt(30 * gi), available: 0n } },
      unknown: { ephemeralStorage: { capacity: BigInt(70 * gi), allocated: 0n, available: 0n } },
    });
    ledger.setVolumesInEphemeral({ bytes: new Map([['n1', 3 * gi]]), unread: new Set(['n2']) }, 2);
    expect(view(ledger)).toMatchObject({ conditions: [], undecided: undefined, ephemeralStorage: { available: 67 * gi } });
    expect(ledger.totals()).toMatchObject({
      sellable: { ephemeralStorage: { capacity: BigInt(100 * gi), available: BigInt(67 * gi) } },
      unknown: { ephemeralStorage: { capacity: 0n, allocatable: 0n } },
    });
  });

  it('holds memory-backed volumes back from what can be sold, outside of what is allocated', () => {
    const ledger = setUp();
    ledger.setNode(testNode('n1'), 0);
    ledger.setPod(testPod('a', 'n1', { memoryBytes: 4 * gi, ramBytes: 2 * gi }), 0);
    expect(view(ledger)).toMatchObject({ ram: 2 * gi, memory: { allocated: 4 * gi, available: 58 * gi, overcommitted: 0 } });
    ledger.setPod(testPod('b', 'n1', { ramBytes: 100 * gi }), 0);
    expect(view(ledger).memory).toMatchObject({ available: 0, overcommitted: 0 });
    expect(view(ledger).sellability.state).toBe('sellable');
  });

  it('names an over-allocation and holds back that node alone', () => {
    const ledger = setUp();
    ledger.setNode(testNode('n1'), 0);
    ledger.setNode(testNode('n2'), 0);
    ledger.setPod(testPod('a', 'n1', { cpuMillis: 17_000 }), 0);
    expect(view(ledger)).toMatchObject({ cpu: { available: 0, overcommitted: 1000 }, sellability: { state: 'held-back' } });
    expect(codes(view(ledger).sellability.reasons)).toEqual(['OverAllocated']);
    expect(view(ledger).conditions[0]?.message).toContain('cpu: 17000 millicores are allocated of 16000');
    expect(view(ledger, 'n2').sellability.state).toBe('sellable');
    expect(ledger.totals()).toMatchObject({
      nodes: { sellable: 1, heldBack: 1 },
      sellable: { cpu: { capacity: 16_000n } },
      heldBack: { cpu: { overcommitted: 1000n } },
    });
  });

  it('holds a node back that has as many pods as its kubelet runs, whatever else is left', () => {
    const ledger = setUp();
    ledger.setNode(testNode('n1', { pods: '2' }), 0);
    ledger.setPod(testPod('a', 'n1', { cpuMillis: 1 }), 0);
    expect(view(ledger).sellability.state).toBe('sellable');
    ledger.setPod(testPod('b', 'n1'), 1);
    expect(view(ledger).sellability).toMatchObject({ state: 'held-back', reasons: [{ code: 'PodsFull' }] });
    expect(view(ledger).sellability.reasons[0]?.message).toContain('2 pods are on the node, whose kubelet runs 2');
    expect(ledger.totals().nodes).toEqual({ sellable: 0, heldBack: 1, unknown: 0 });
    ledger.removePod('a', 2);
    expect(view(ledger)).toMatchObject({ sellability: { state: 'sellable', reasons: [] }, conditions: [] });
  });

  it('tells who holds what, by node, namespace and lease', () => {
    const ledger = setUp();
    ledger.setNode(testNode('n1'), 0);
    ledger.setNode(testNode('n2'), 0);
    ledger.setPod(testPod('a', 'n1', { cpuMillis: 1 }, { leaseLabels: { owner: 'x' } }), 0);
    ledger.setPod(testPod('b', 'n2', { cpuMillis: 2 }, { namespace: 'lease-2' }), 0);
    ledger.setPod(testPod('c', 'nowhere', { cpuMillis: 3 }), 0);
    const uids = (filter = {}) => ledger.allocations(filter).map(({ podUid }) => podUid);
    expect(uids()).toEqual(['a', 'b']);
    expect(uids({ node: 'n2' })).toEqual(['b']);
    expect(uids({ namespace: 'lease-1' })).toEqual(['a']);
    expect(uids({ leaseLabel: { key: 'owner', value: 'x' } })).toEqual(['a']);
    expect(uids({ leaseLabel: { key: 'owner', value: 'y' } })).toEqual([]);
    expect(uids({ leaseLabel: { key: 'owner' } })).toEqual(['a']);
    expect(ledger.allocations({ node: 'n2' })).toMatchObject([{ node: 'n2', cpuMillis: 2, devices: [] }]);
  });
});

describe('what is told of changes', () => {
  it('names changed and removed nodes once, and nothing that was told twice', () => {
    const ledger = setUp();
    ledger.setNode(testNode('n1'), 0);
    ledger.setNode(testNode('n2'), 0);
    ledger.setPod(testPod('a', 'n1', { cpuMillis: 1 }), 0);
    expect(ledger.takeChanges(0)).toEqual({ nodes: ['n1', 'n2'], removed: [] });
    const before = ledger.nodeView('n1');
    ledger.setPod(testPod('a', 'n1', { cpuMillis: 1 }), 1);
    ledger.setNode(testNode('n1'), 1);
    expect(ledger.takeChanges(1)).toEqual({ nodes: [], removed: [] });
    expect(ledger.nodeView('n1')).toBe(before);
    ledger.removeNode('n2', 2);
    expect(ledger.takeChanges(2)).toEqual({ nodes: [], removed: ['n2'] });
  });

  it('tells of a pod that moves as a change of both nodes', () => {
    const ledger = setUp();
    ledger.setNode(testNode('n1'), 0);
    ledger.setNode(testNode('n2'), 0);
    ledger.setPod(testPod('a', 'n1', { cpuMillis: 1 }), 0);
    ledger.takeChanges(0);
    ledger.setPod(testPod('a', 'n2', { cpuMillis: 1 }), 1);
    expect(ledger.takeChanges(1).nodes.toSorted()).toEqual(['n1', 'n2']);
  });

  it('finds and repairs what does not add up, in slices', () => {
    const ledger = setUp();
    for (let i = 0; i < 10; i += 1) {
      ledger.setNode(testNode(`n${i}`, { 'example.com/dongle': '9' }), 0);
      ledger.setPod(testPod(`p${i}`, `n${i}`, { extended: { 'example.com/dongle': 1 } }), 0);
    }
    const pieces = new Map([['example.com/dongle', 2]]);
    const pod = testPod('odd', 'n7');
    ledger.setPod({ ...pod, requests: { ...pod.requests, extended: pieces } }, 0);
    ledger.takeChanges(0);
    // Against the rule: what was handed in changes behind the ledger's back.
    pieces.set('example.com/dongle', 5);
    const reports = [];
    do reports.push(ledger.audit(1, 6));
    while (reports.at(-1)?.roundComplete === false);
    expect(reports.length).toBeGreaterThan(2);
    expect(reports.flatMap(({ drifts }) => drifts)).toEqual([{ node: 'n7', resource: 'example.com/dongle', counted: 3n, actual: 6n }]);
    expect(ledger.drifts).toBe(1);
    expect(ledger.takeChanges(1).nodes).toEqual(['n7']);
    expect(view(ledger, 'n7').extended.get('example.com/dongle')?.allocated).toBe(6);
  });
});

describe('sellability', () => {
  const judge = (more: Partial<ObservedNode>, config = 'version: v1') => {
    const ledger = setUp();
    ledger.setConfig(parseInventoryConfig(config), 0);
    ledger.setNode(testNode('n1', {}, more), 0);
    const { state, reasons } = view(ledger).sellability;
    return [state, ...codes(reasons)];
  };
  const ready = { type: 'Ready', status: 'True', reason: '' };
  const taint = (key: string, effect = 'NoSchedule') => ({ key, value: '', effect });

  it.each<[string, Partial<ObservedNode>, string[]]>([
    ['a healthy node', {}, ['sellable']],
    [
      'one that is not ready',
      { conditions: [{ ...ready, status: 'False' }], taints: [taint('node.kubernetes.io/not-ready')] },
      ['held-back', 'NotReady'],
    ],
    [
      'a silent one',
      { conditions: [{ ...ready, status: 'Unknown' }], taints: [taint('node.kubernetes.io/unreachable', 'NoExecute')] },
      ['unknown', 'ReadyUnknown'],
    ],
    ['one that has never reported', { conditions: [] }, ['unknown', 'ReadyUnknown']],
    ['one that is cordoned', { unschedulable: true, taints: [taint('node.kubernetes.io/unschedulable')] }, ['held-back', 'Cordoned']],
    ['a silent one that is cordoned', { unschedulable: true, conditions: [] }, ['held-back', 'Cordoned', 'ReadyUnknown']],
    ['one that is being deleted', { deleting: true }, ['held-back', 'Deleting']],
    ['one with a taint', { taints: [taint('dedicated')] }, ['held-back', 'Tainted']],
    ['one with a mild taint', { taints: [taint('dedicated', 'PreferNoSchedule')] }, ['sellable']],
    ['one with the GPU taint', { taints: [taint('nvidia.com/gpu')] }, ['sellable']],
    ['one whose taint outlives its condition', { taints: [taint('node.kubernetes.io/not-ready')] }, ['held-back', 'Tainted']],
    ...(['MemoryPressure', 'DiskPressure', 'PIDPressure', 'NetworkUnavailable'] as const).map(
      (type): [string, Partial<ObservedNode>, string[]] => [
        `one under ${type}`,
        { conditions: [ready, { type, status: 'True', reason: '' }] },
        ['held-back', type],
      ],
    ),
  ])('judges %s', (_, more, expected) => {
    expect(judge(more)).toEqual(expected);
  });

  it('names the taints that tenants’ pods have to tolerate there, by the configuration of the moment', () => {
    const ledger = setUp();
    const [gpu, mild] = [taint('nvidia.com/gpu'), taint('nvidia.com/gpu', 'PreferNoSchedule')];
    const tolerated = () => view(ledger).toleratedTaints.map(({ key }) => key);
    ledger.setNode(testNode('n1', {}, { unschedulable: true, taints: [gpu, mild, taint('dedicated')] }), 0);
    expect(tolerated()).toEqual(['nvidia.com/gpu']);
    ledger.setConfig(parseInventoryConfig('tolerated_taints: [dedicated]'), 1);
    expect(tolerated()).toEqual(['dedicated']);
  });

  it('follows the configuration', () => {
    expect(judge({}, 'exclude: { nodes: ["^n"] }')).toEqual(['held-back', 'Excluded']);
    expect(judge({ taints: [taint('dedicated')] }, 'tolerated_taints: [dedicated]')).toEqual(['sellable']);
    const ledger = setUp();
    ledger.setNode(testNode('n1'), 0);
    ledger.setNode(testNode('other'), 0);
    ledger.setStorageClasses([{ name: 'default' }, { name: 'beta2' }, { name: 'local', nodes: new Set(['other']) }], 0);
    ledger.takeChanges(0);
    ledger.setConfig(parseInventoryConfig('exclude: { node_storage: [{ node_filter: n1, classes: [beta2] }] }'), 1);
    expect(ledger.takeChanges(1).nodes).toEqual(['n1']);
    expect(view(ledger).storageClasses).toEqual(['default']);
    expect(view(ledger, 'other').storageClasses).toEqual(['beta2', 'default', 'local']);
  });

  it('counts a quantity that is none as nothing to sell, and says so', () => {
    const ledger = setUp();
    ledger.setNode(testNode('n1', {}, { allocatable: { cpu: 'many' } }), 0);
    expect(view(ledger).cpu).toMatchObject({ capacity: 16_000, allocatable: 0, available: 0 });
    expect(codes(view(ledger).conditions)).toContain('QuantityUnreadable');
  });
});

describe('the names of cards', () => {
  it('follow the database, and a card that nobody knows is counted and reported once', () => {
    const ledger = setUp();
    ledger.setNode(testNode('n1', { 'nvidia.com/gpu': '2' }), 0);
    ledger.setHardware('n1', testHardware([testGpu(0, 'fff0'), testGpu(1, 'fff0')]), undefined, 0);
    expect(view(ledger).gpus).toMatchObject([{ vendor: 'nvidia', model: 'unknown-10de-fff0', amount: { available: 2 } }]);
    expect(ledger.takeUnknownGpus()).toEqual([{ vendorId: '10de', productId: 'fff0', node: 'n1' }]);
    ledger.setHardware('n1', testHardware([testGpu(0, 'fff0')]), undefined, 1);
    expect(ledger.takeUnknownGpus()).toEqual([]);
    ledger.takeChanges(1);
    const database = parseGpuDatabase(
      '{"10de":{"name":"nvidia","devices":{"fff0":{"name":"newcard","interface":"PCIe","memory_size":"32Gi"}}}}',
    );
    ledger.setGpuDatabase({ ...knowledge, database }, 2);
    expect(ledger.takeChanges(2).nodes).toEqual(['n1']);
    expect(view(ledger).gpus).toMatchObject([{ model: 'newcard', memoryBytes: 32 * gi, interface: 'PCIe' }]);
  });
});
