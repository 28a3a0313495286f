import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { knowledge, testGpu, testHardware, testNode, testPod } from '../../test/ledger-fixtures.ts';
import { parseInventoryConfig } from '../config/parse-inventory-config.ts';
import type { NodeInventory } from '../model/node-inventory.ts';
import type { ObservedNode } from '../model/observed.ts';
import { observeNode } from '../observe/observe-node.ts';
import { InventoryLedger } from './inventory-ledger.ts';

const nvidia: Readonly<Record<string, string>> = { 'nvidia.com/gpu': '8' };
const eight = Array.from({ length: 8 }, (_, index) => testGpu(index));
const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady' };
const since = Date.parse('2026-01-01T00:00:00Z');

interface Signals {
  readonly condition?: Partial<ObservedNode['conditions'][number]>;
  readonly taint?: string;
  readonly effect?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A node with eight cards: an agent tells of them, or nobody does. */
class Signalled {
  readonly ledger = new InventoryLedger(knowledge);
  readonly #counts: Readonly<Record<string, string>>;
  now = 0;

  constructor({ isReported = true, counts = nvidia } = {}) {
    this.#counts = counts;
    if (isReported) this.ledger.setHardware('n1', testHardware(eight), undefined, 0);
    this.say({});
  }

  say({ condition, taint, effect = 'NoSchedule', labels = {} }: Signals): this {
    const more = condition === undefined ? [] : [{ type: '', status: 'True', reason: '', since, ...condition }];
    const taints = taint === undefined ? [] : [{ key: taint, value: 'true', effect }];
    this.ledger.setNode(testNode('n1', this.#counts, { conditions: [ready, ...more], taints, labels }), this.now);
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

  get cards(): readonly number[] {
    const [amount] = this.view.gpus.map((group) => group.amount);
    return amount === undefined ? [] : [amount.capacity, amount.allocatable, amount.available];
  }

  get quarantined(): readonly string[] {
    return this.view.devices.filter(({ state }) => state === 'quarantined').map(({ id }) => id);
  }
}

describe('health signals of others', () => {
  it.each([
    ['a condition of node-problem-detector', { condition: { type: 'KernelDeadlock', reason: 'DockerHung' } }],
    ['a condition that should be True', { condition: { type: 'StorageReady', status: 'False' } }],
    ['a label of NVSentinel', { labels: { 'dgxc.nvidia.com/nvsentinel-state': 'quarantined' } }],
    ['a taint that closes the node', { taint: 'nvidia.com/gpu-xid-error' }],
  ] satisfies [string, Signals][])('hold back the node: %s', (_what, signal) => {
    const node = new Signalled().say(signal);
    expect(node.view.sellability).toMatchObject({ state: 'held-back', reasons: [{ code: 'HealthSignal' }] });
    expect(node.quarantined).toEqual([]);
    node.say({});
    expect(node.view.sellability.state).toBe('sellable');
  });

  it('say what was found, since when and what to do', () => {
    const condition = { type: 'KernelDeadlock', reason: 'DockerHung', message: 'task docker:7 blocked for more than 120 seconds.' };
    expect(new Signalled().say({ condition }).view.sellability.reasons).toEqual([
      {
        code: 'HealthSignal',
        message:
          'The condition KernelDeadlock is True (DockerHung): task docker:7 blocked for more than 120 seconds. Mend it, or say under health_signals in the configuration that it holds nothing.',
        since,
      },
    ]);
  });

  it.each([
    [
      'a condition of NVSentinel',
      { condition: { type: 'GpuMemWatch', message: 'ErrorCode:DCGM_FR_FAULTY_MEMORY GPU:0 Recommended Action=RESTART_BM;' } },
    ],
    [
      'a condition from DCGM that should be True',
      { condition: { type: 'AcceleratedHardwareReady', status: 'False', reason: 'DCGMError' } },
    ],
    ['a condition of node-problem-detector', { condition: { type: 'XIDErrors' } }],
    ['a label of the GPU operator', { labels: { 'nvidia.com/mig.config.state': 'failed' } }],
    ['a taint that leaves the node open', { taint: 'nvidia.com/gpu-nvlink-error', effect: 'PreferNoSchedule' }],
  ] satisfies [string, Signals][])('hold back all cards and nothing else: %s', (_what, signal) => {
    for (const isReported of [true, false]) {
      const node = new Signalled({ isReported });
      const before = node.view;
      node.say(signal);
      expect(node.cards).toEqual([8, 0, 0]);
      expect(node.view.sellability.state).toBe('sellable');
      expect([node.view.cpu, node.view.memory]).toEqual([before.cpu, before.memory]);
      expect(node.quarantined).toHaveLength(isReported ? 8 : 0);
      expect(node.view.conditions.map(({ code }) => code)).toEqual(['GpuHealthSignal']);
      node.say({}).after(2_000);
      expect(node.cards).toEqual([8, 8, 8]);
      expect(node.view.conditions).toEqual([]);
    }
  });

  it('hold back only the cards that they name, by UUID or by PCI address', () => {
    const message =
      'ErrorCode:79 GPU:3 PCI:0000:03:00 Xid 79 Recommended Action=RESTART_BM;ErrorCode:48 GPU_UUID:GPU-5 Recommended Action=NONE;';
    const node = new Signalled().say({ condition: { type: 'SysLogsXIDError', message } });
    expect(node.quarantined).toEqual(['GPU-3', 'GPU-5']);
    expect(node.cards).toEqual([8, 6, 6]);
    expect(node.view.devices[3]?.reason).toMatchObject({ code: 'GpuHealthSignal', since });
  });

  it('hold back all cards when one of their faults names none that is known', () => {
    const message = 'ErrorCode:79 PCI:00000000:03:00.0 Xid;ErrorCode:48 GPU:5 double bit;';
    expect(new Signalled().say({ condition: { type: 'SysLogsXIDError', message } }).cards).toEqual([8, 0, 0]);
  });

  it('hold back every card that they name, however late in a long message, which is shown by its beginning', () => {
    const fault = (card: number): string =>
      `ErrorCode:DCGM_FR_VOLATILE_DBE_DETECTED GPU:${card} PCI:0000:0${card}:00 ${'Detected a double-bit error. '.repeat(6)}Recommended Action=COMPONENT_RESET;`;
    const message = Array.from({ length: 7 }, (_, card) => fault(card)).join('');
    const status = { conditions: [{ type: 'GpuMemWatch', status: 'True', message }] };
    const [condition] = observeNode({ metadata: { name: 'n1', uid: 'u1' }, status }).conditions;
    const node = new Signalled().say({ condition: condition ?? {} });
    expect(message.length).toBeGreaterThan(1500);
    expect(node.quarantined).toEqual(['GPU-0', 'GPU-1', 'GPU-2', 'GPU-3', 'GPU-4', 'GPU-5', 'GPU-6']);
    expect(node.view.conditions.every((reason) => reason.message.length < 1300)).toBe(true);
  });

  it.each([
    ['in the middle of a fault', 'ErrorCode:79 GPU_UUID:GPU-3 Xid;ErrorCode:48 GPU_UUID:GPU-5 double b'],
    ['after a fault, with dots', 'ErrorCode:79 GPU_UUID:GPU-3 Xid;...'],
    ['after a card, with an ellipsis', 'GPU-3 and GPU-5 have fallen off the bus, and …'],
    ['by the limit on what is kept', `${'ErrorCode:79 GPU_UUID:GPU-3 Xid 79 Action=RESET;'.repeat(2_000)}ErrorCode:48 GPU_UUID:GPU-5 Xid;`],
  ])('hold back all cards where the message was cut %s: those that are missing may be any', (_where, message) => {
    const status = { conditions: [{ type: 'SysLogsXIDError', status: 'True', message }] };
    const [condition] = observeNode({ metadata: { name: 'n1', uid: 'u1' }, status }).conditions;
    expect(new Signalled().say({ condition: condition ?? {} }).cards).toEqual([8, 0, 0]);
  });

  it('leave the reason of a card that its agent calls unhealthy', () => {
    const node = new Signalled({ isReported: false });
    const xid = testGpu(0, '2330', { health: { state: 'unhealthy', code: 'XidError', reason: 'Xid 79' } });
    node.ledger.setHardware('n1', testHardware([xid, ...eight.slice(1)]), undefined, 0);
    node.say({ condition: { type: 'GpuMemWatch' } });
    expect(node.view.devices.map(({ reason }) => reason?.code)).toEqual([
      'XidError',
      ...Array.from({ length: 7 }, () => 'GpuHealthSignal'),
    ]);
  });

  it('hold back slices and shared pieces of cards as well', () => {
    const counts = { 'nvidia.com/mig-1g.10gb': '7', 'nvidia.com/gpu.shared': '4', 'example.com/nic': '2' };
    const node = new Signalled({ isReported: false, counts }).say({ condition: { type: 'GpuSmWatch' } });
    const left = Object.fromEntries([...node.view.extended].map(([name, { available }]) => [name, available]));
    expect(left).toEqual({ 'nvidia.com/mig-1g.10gb': 0, 'nvidia.com/gpu.shared': 0, 'example.com/nic': 2 });
  });

  it('are ignored where the configuration says so, and taken up again', () => {
    const node = new Signalled().say({ condition: { type: 'GpuMemWatch' }, taint: 'example.com/broken', effect: 'PreferNoSchedule' });
    node.ledger.setConfig(parseInventoryConfig('health_signals: [{ condition: "Gpu*", holds: nothing }]'), node.now);
    expect(node.after(2_000).cards).toEqual([8, 8, 8]);
    node.ledger.setConfig(parseInventoryConfig('health_signals: [{ taint: "example.com/*", holds: node }]'), node.now);
    expect(node.cards).toEqual([8, 0, 0]);
    expect(node.view.sellability.reasons.map(({ code }) => code)).toEqual(['HealthSignal']);
  });

  it('that come and go every second move the amount of cards at most twice in a minute', () => {
    for (const isReported of [true, false]) {
      const node = new Signalled({ isReported });
      const seen = new Set<string>();
      let moves = 0;
      let last = String(node.cards);
      for (let second = 0; second < 60; second += 1) {
        node.say(second % 2 === 0 ? { condition: { type: 'GpuPowerWatch' } } : {}).after(1_000);
        if (String(node.cards) !== last) moves += 1;
        last = String(node.cards);
        seen.add(last);
      }
      expect(moves).toBeLessThanOrEqual(2);
      expect(seen).toContain('8,0,0');
    }
  });

  it('never promise more than without them, whatever they say', () => {
    const words = fc.constantFrom('GPU-1', 'GPU-7', '0000:02:00', 'Xid 79', ';', 'GPU:4', 'ok');
    const type = fc.constantFrom('GpuMemWatch', 'SysLogsXIDError', 'KernelDeadlock', 'KernelReady', 'Other');
    const condition = fc.record({
      type,
      status: fc.constantFrom('True', 'False', 'Unknown'),
      message: fc.array(words).map((all) => all.join(' ')),
    });
    fc.assert(
      fc.property(fc.array(condition, { maxLength: 3 }), fc.boolean(), fc.nat(8), (conditions, isReported, asked) => {
        const ledger = new InventoryLedger(knowledge);
        if (isReported) ledger.setHardware('n1', testHardware(eight), undefined, 0);
        ledger.setPod(testPod('p', 'n1', { extended: { 'nvidia.com/gpu': asked } }), 0);
        const all = [ready, ...conditions.map((each) => ({ ...each, reason: '' }))];
        ledger.setNode(testNode('n1', nvidia, { conditions: all }), 0);
        const [amount] = ledger.nodeView('n1')?.gpus.map((group) => group.amount) ?? [];
        expect(amount?.capacity).toBe(8);
        expect(amount?.available).toBeLessThanOrEqual(8 - asked);
        expect(amount?.allocatable).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('observeNode', () => {
  it("keeps the message of others' conditions, and of the kubelet's only that of a node that is not ready", () => {
    const said = (type: string, status: string) => ({ type, status, message: `about ${type}` });
    const conditions = [said('Ready', 'True'), said('MemoryPressure', 'False'), said('GpuMemWatch', 'True')];
    const seen = observeNode({ metadata: { name: 'n1', uid: 'u1' }, status: { conditions } });
    expect(seen.conditions.map(({ message }) => message)).toEqual([undefined, undefined, 'about GpuMemWatch']);
    const silent = observeNode({ metadata: { name: 'n1', uid: 'u1' }, status: { conditions: [said('Ready', 'Unknown')] } });
    expect(silent.conditions[0]?.message).toBe('about Ready');
    const wordy = { ...said('Ready', 'False'), message: 'word '.repeat(1_000) };
    expect(observeNode({ metadata: { name: 'n1', uid: 'u1' }, status: { conditions: [wordy] } }).conditions[0]?.message).toHaveLength(
      1_024,
    );
  });
});
