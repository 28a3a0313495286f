import type { DeviceHolder, GpuFacts } from '@quartermaster/api/node-hardware';
import { describe, expect, it } from 'vitest';
import { gi, knowledge, testGpu, testHardware, testNode, testPod } from '../../test/ledger-fixtures.ts';
import type { NodeInventory } from '../model/node-inventory.ts';
import type { ObservedDevice, ObservedNode } from '../model/observed.ts';
import { InventoryLedger } from './inventory-ledger.ts';

const nvidia = 'nvidia.com/gpu';

interface Setting {
  readonly counts?: Readonly<Record<string, string>>;
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly gpus?: readonly GpuFacts[];
  readonly held?: readonly DeviceHolder[];
  readonly devices?: readonly ObservedDevice[];
  readonly labels?: Readonly<Record<string, string>>;
}

class OneNode {
  readonly ledger = new InventoryLedger(knowledge);
  now = 0;

  set({ counts = {}, allocatable = {}, gpus, held, devices, labels = {} }: Setting): this {
    const node: ObservedNode = testNode('n1', counts, { labels });
    this.ledger.setNode({ ...node, allocatable: { ...node.allocatable, ...allocatable } }, this.now);
    if (gpus !== undefined) this.ledger.setHardware('n1', testHardware(gpus), held === undefined ? undefined : { devices: held }, this.now);
    if (devices !== undefined) this.ledger.setDevices('n1', devices, this.now);
    return this;
  }

  pod(uid: string, pieces: number, resource = nvidia): this {
    this.ledger.setPod(testPod(uid, 'n1', { extended: { [resource]: pieces } }), this.now);
    return this;
  }

  after(ms: number): this {
    this.now += ms;
    this.ledger.takeChanges(this.now);
    return this;
  }

  get view(): NodeInventory {
    const view = this.ledger.nodeView('n1');
    if (view === undefined) throw new Error('the node is known');
    return view;
  }

  /** model -> capacity, allocatable, allocated, available */
  get models(): Record<string, readonly number[]> {
    return Object.fromEntries(
      this.view.gpus.map(({ model, amount }) => [model, [amount.capacity, amount.allocatable, amount.allocated, amount.available]]),
    );
  }

  get codes(): string[] {
    return this.view.conditions.map(({ code }) => code);
  }
}

const sick = (index: number, productId?: string): GpuFacts =>
  testGpu(index, productId, { health: { state: 'unhealthy', reason: 'Xid 79' } });
const four = [0, 1, 2, 3].map((i) => testGpu(i));
const mixed = [testGpu(0, '20b5'), testGpu(1, '20b5'), testGpu(2, '1eb8'), testGpu(3, '1eb8')];
const holder = (deviceId: string, pod: string, resource = nvidia): DeviceHolder => ({
  resource,
  deviceId,
  namespace: 'lease-1',
  pod,
  container: 'c',
});

describe('cards of a node', () => {
  it('are counted by what the kubelet offers when no agent has reported', () => {
    const node = new OneNode()
      .set({ counts: { [nvidia]: '8' }, labels: { 'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3' } })
      .pod('a', 3);
    expect(node.models).toEqual({ h100: [8, 8, 3, 5] });
    expect(node.view.devices).toEqual([]);
    expect(new OneNode().set({ counts: { [nvidia]: '8' } }).models).toEqual({ 'unknown-10de': [8, 8, 0, 8] });
  });

  it('are there but cannot be had without a device plugin', () => {
    const node = new OneNode().set({ gpus: four });
    expect(node.models).toEqual({ h100: [4, 0, 0, 0] });
    expect(node.codes).toEqual(['GpuNotOffered']);
  });

  it('of two vendors are kept apart', () => {
    const gpus = [testGpu(0), testGpu(1, '74a1', { vendorId: '1002', uuid: 'AMD-1' })];
    const node = new OneNode().set({ counts: { [nvidia]: '1', 'amd.com/gpu': '1' }, gpus }).pod('a', 1, 'amd.com/gpu');
    expect(node.models).toEqual({ h100: [1, 1, 0, 1], mi300x: [1, 1, 1, 0] });
    expect(node.view.gpus.map(({ resource }) => resource)).toEqual(['amd.com/gpu', nvidia]);
  });

  it('are not sold beyond what the agent found, whatever the kubelet counts', () => {
    const node = new OneNode().set({ counts: { [nvidia]: '7' }, gpus: four });
    expect(node.models).toEqual({ h100: [4, 4, 0, 4] });
    expect(node.codes).toEqual(['GpuCountDiffers']);
  });

  it('stay when the agent could not read the bus this time', () => {
    const node = new OneNode().set({ counts: { [nvidia]: '4' }, gpus: four });
    node.ledger.setHardware('n1', testHardware(), undefined, 1);
    expect(node.models).toEqual({ h100: [4, 4, 0, 4] });
  });

  it('that are shared or cut up are not sold as whole ones', () => {
    const shared = new OneNode().set({ counts: { [nvidia]: '16' }, gpus: four, labels: { 'nvidia.com/gpu.replicas': '4' } }).pod('a', 5);
    expect(shared.models).toEqual({ h100: [4, 0, 0, 0] });
    expect(shared.view.extended.get(nvidia)).toMatchObject({ capacity: 16, allocated: 5, available: 11 });
    expect(shared.codes).toEqual(['GpuDivided']);
    const mig = { enabled: true, instances: [] };
    const cut = new OneNode().set({
      counts: { [nvidia]: '3', 'nvidia.com/mig-1g.10gb': '7' },
      gpus: [testGpu(0, '2330', { mig }), ...four.slice(1)],
    });
    expect(cut.pod('a', 2, 'nvidia.com/mig-1g.10gb').models).toEqual({ h100: [4, 3, 0, 3] });
    expect(cut.view.extended.get('nvidia.com/mig-1g.10gb')).toMatchObject({ capacity: 7, allocated: 2, available: 5 });
  });
});

describe('sick cards', () => {
  it('are in quarantine with reason and time, the others are sold on', () => {
    const node = new OneNode().set({ counts: { [nvidia]: '4' }, gpus: four }).after(5000);
    node.set({ counts: { [nvidia]: '4' }, gpus: [sick(0), ...four.slice(1)] });
    expect(node.models).toEqual({ h100: [4, 3, 0, 3] });
    expect(node.view.devices[0]).toMatchObject({
      id: 'GPU-0',
      state: 'quarantined',
      reason: { code: 'Unhealthy', message: 'Xid 79', since: 5000 },
    });
    expect(node.view.sellability.state).toBe('sellable');
  });

  it('have the name and the beginning of their illness from the machine, where it knows them', () => {
    const health = { state: 'unhealthy', code: 'XidError', reason: 'Xid 79', since: '1970-01-01T00:00:03.000Z' } as const;
    const node = new OneNode().set({ counts: { [nvidia]: '4' }, gpus: four }).after(5000);
    node.set({ counts: { [nvidia]: '4' }, gpus: [testGpu(0, undefined, { health }), ...four.slice(1)] });
    expect(node.view.devices[0]).toMatchObject({ state: 'quarantined', reason: { code: 'XidError', message: 'Xid 79', since: 3000 } });
  });

  it('come back when they have been healthy for a moment', () => {
    const node = new OneNode().set({ counts: { [nvidia]: '4' }, gpus: [sick(0), ...four.slice(1)] }).after(1000);
    node.set({ counts: { [nvidia]: '4' }, gpus: four });
    expect(node.view.devices[0]).toMatchObject({ state: 'quarantined', reason: { code: 'Recovering' } });
    node.ledger.takeChanges(2499);
    expect(node.models).toEqual({ h100: [4, 3, 0, 3] });
    expect(node.ledger.takeChanges(2500).nodes).toEqual(['n1']);
    expect(node.models).toEqual({ h100: [4, 4, 0, 4] });
    expect(node.ledger.takeChanges(9999).nodes).toEqual([]);
  });

  it('are held back by count when nobody says which it is: 8, 7, 8', () => {
    const eight = Array.from({ length: 8 }, (_, i) => testGpu(i));
    const node = new OneNode().set({ counts: { [nvidia]: '8' }, gpus: eight }).after(1000);
    node.set({ counts: { [nvidia]: '8' }, allocatable: { [nvidia]: '7' } });
    expect(node.models).toEqual({ h100: [8, 7, 0, 7] });
    expect(node.codes).toEqual(['GpuNotOffered']);
    node.set({ counts: { [nvidia]: '8' } }).after(2000);
    expect(node.models).toEqual({ h100: [8, 8, 0, 8] });
  });

  it('lower every model by one when nobody says of which model it is', () => {
    const node = new OneNode().set({ counts: { [nvidia]: '4' }, allocatable: { [nvidia]: '3' }, gpus: mixed });
    expect(node.models).toEqual({ a100: [2, 1, 0, 1], t4: [2, 1, 0, 1] });
  });

  it('that vanish and come back have flapped', () => {
    const node = new OneNode().set({ counts: { [nvidia]: '4' }, gpus: four }).after(1000);
    node.set({ counts: { [nvidia]: '4' }, gpus: four.slice(1) }).after(1000);
    expect(node.models).toEqual({ h100: [3, 3, 0, 3] });
    node.set({ counts: { [nvidia]: '4' }, gpus: four });
    expect(node.models).toEqual({ h100: [4, 3, 0, 3] });
    expect(node.after(2000).models).toEqual({ h100: [4, 4, 0, 4] });
  });

  it('that are in use show as over-allocated, without holding the node back', () => {
    const node = new OneNode().set({ counts: { [nvidia]: '4' }, gpus: [sick(0), ...four.slice(1)] }).pod('a', 4);
    expect(node.view.gpus[0]?.amount).toMatchObject({ allocatable: 3, allocated: 4, available: 0, overcommitted: 1 });
    expect(node.codes).toEqual(['OverAllocated']);
    expect(node.view.sellability.state).toBe('sellable');
  });
});

describe('who holds a card', () => {
  it('is counted against every model it could be while nobody knows', () => {
    const node = new OneNode().set({ counts: { [nvidia]: '4' }, gpus: mixed }).pod('a', 1);
    expect(node.models).toEqual({ a100: [2, 2, 1, 1], t4: [2, 2, 1, 1] });
    expect(node.pod('b', 2).models).toEqual({ a100: [2, 2, 2, 0], t4: [2, 2, 2, 0] });
  });

  it('is counted against its own model when the kubelet says which it is', () => {
    const held = [holder('GPU-0', 'a'), holder('GPU-1', 'a'), holder('GPU-2', 'gone')];
    const node = new OneNode().set({ counts: { [nvidia]: '4' }, gpus: mixed, held }).pod('a', 2);
    expect(node.models).toEqual({ a100: [2, 2, 2, 0], t4: [2, 2, 0, 2] });
    expect(node.view.devices[0]?.holder).toEqual({ namespace: 'lease-1', pod: 'a', podUid: 'a', source: 'kubelet' });
    expect(node.view.devices[2]?.holder).toBeUndefined();
    expect(node.ledger.allocations({ device: 'GPU-1' })).toMatchObject([{ podUid: 'a', devices: ['GPU-0', 'GPU-1'] }]);
    expect(node.ledger.allocations({ device: 'GPU-3' })).toEqual([]);
    node.pod('new', 1);
    expect(node.models).toEqual({ a100: [2, 2, 2, 0], t4: [2, 2, 1, 1] });
  });

  it('is found by number and by address, too', () => {
    const held = [holder('0', 'a'), holder('0000:01:00.0', 'b')];
    const node = new OneNode()
      .set({ counts: { [nvidia]: '4' }, gpus: mixed, held })
      .pod('a', 1)
      .pod('b', 1);
    expect(node.models).toEqual({ a100: [2, 2, 2, 0], t4: [2, 2, 0, 2] });
  });

  it('takes the place of a fit card when it is sick itself, since the scheduler counts it all the same', () => {
    const cards = [testGpu(0), testGpu(1), testGpu(2, '1eb8', { health: { state: 'unhealthy' } }), testGpu(3, '1eb8')];
    const node = new OneNode()
      .set({ counts: { [nvidia]: '4' }, allocatable: { [nvidia]: '3' }, gpus: cards, held: [holder('GPU-2', 'a'), holder('GPU-3', 'b')] })
      .pod('a', 1)
      .pod('b', 1);
    expect(node.models).toEqual({ h100: [2, 1, 0, 1], t4: [2, 1, 2, 0] });
    expect(node.codes).toContain('GpuHeldSick');
  });

  it('is told by claims on devices that a driver publishes', () => {
    const device = (name: string, more: Partial<ObservedDevice> = {}): ObservedDevice => ({
      node: 'n1',
      driver: 'gpu.nvidia.com',
      pool: 'n1',
      device: name,
      attributes: { type: 'gpu', productName: 'NVIDIA H100 80GB HBM3', uuid: `GPU-${name}` },
      memoryBytes: 81559 * 2 ** 20,
      taints: [],
      ...more,
    });
    const devices = [
      device('gpu-0', { isTaken: true, holders: [{ namespace: 'lease-1', pod: 'a', podUid: 'a' }] }),
      device('gpu-1'),
      device('gpu-2', { taints: [{ key: 'gpu.nvidia.com/xid', value: '79', effect: 'NoExecute' }] }),
      device('mig-0', { attributes: { type: 'mig', profile: '1g.10gb' } }),
    ];
    const node = new OneNode().set({ devices });
    expect(node.models).toEqual({ h100: [3, 2, 1, 1] });
    expect(node.view.gpus[0]).toMatchObject({ resource: 'gpu.nvidia.com', memoryBytes: 80 * gi });
    expect(node.view.devices.map(({ id, state }) => [id, state])).toEqual([
      ['GPU-gpu-0', 'healthy'],
      ['GPU-gpu-1', 'healthy'],
      ['GPU-gpu-2', 'quarantined'],
    ]);
    expect(node.view.devices[0]?.holder).toEqual({ namespace: 'lease-1', pod: 'a', podUid: 'a', source: 'claim' });
    expect(node.view.extended.get('gpu.nvidia.com/1g.10gb')).toMatchObject({ capacity: 1, available: 1 });
  });

  it('counts a card once that the agent and a driver both tell of', () => {
    const attributes = { type: 'gpu', uuid: 'GPU-0' };
    const devices = [{ node: 'n1', driver: 'gpu.nvidia.com', pool: 'n1', device: 'gpu-0', attributes, taints: [] }];
    expect(new OneNode().set({ gpus: [testGpu(0)], devices }).models).toEqual({ h100: [1, 1, 0, 1] });
    const claimed = devices.map((device) => ({ ...device, isTaken: true, holders: [{ namespace: 'x', pod: 'a', podUid: 'u' }] }));
    const both = new OneNode().set({ counts: { [nvidia]: '1' }, gpus: [testGpu(0)], devices: claimed });
    expect(both.models).toEqual({ h100: [1, 1, 1, 0] });
    expect(both.view.gpus[0]?.resource).toBe(nvidia);
  });
});

describe('what is really used', () => {
  it('is kept for the node and for its cards apart: what one source tells does not take away what the other told', () => {
    const node = new OneNode().set({ counts: { [nvidia]: '1' }, gpus: [testGpu(0)] });
    const id = node.view.devices[0]?.id ?? '';
    const utilization = { cpuMillis: 1500, memoryBytes: gi, observedAt: 5 };
    node.ledger.setUtilization('n1', { utilization }, 0);
    node.ledger.setUtilization('n1', { gpuPercent: new Map([[id, 37]]) }, 0);
    expect([node.view.utilization, node.view.devices[0]?.utilization]).toEqual([utilization, 37]);
    node.ledger.setUtilization('n1', { utilization: { ...utilization, cpuMillis: 9 } }, 0);
    expect([node.view.utilization?.cpuMillis, node.view.devices[0]?.utilization]).toEqual([9, 37]);
    node.ledger.setUtilization('n1', { gpuPercent: new Map() }, 0);
    expect([node.view.utilization?.cpuMillis, node.view.devices[0]?.utilization]).toEqual([9, undefined]);
    node.ledger.setUtilization('nowhere', { utilization }, 0);
    expect(node.ledger.nodeView('nowhere')).toBeUndefined();
  });
});
