import type { DeviceHolder, HardwareFacts } from '@quartermaster/api/node-hardware';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { knowledge, testGpu, testHardware, testNode, testPod } from '../../test/ledger-fixtures.ts';
import type { AgentSilence } from '../model/observed.ts';
import { observeDevices } from '../observe/observe-devices.ts';
import { observeSlice } from '../observe/observe-slice.ts';
import { areOfNode } from './facts-of-node.ts';
import { InventoryLedger } from './inventory-ledger.ts';

const sick = testGpu(1, '2330', { health: { state: 'unhealthy', reason: 'it is lost', code: 'XidError' } });
const holderOf = (pod: string, deviceId: string): DeviceHolder => ({
  resource: 'nvidia.com/gpu',
  deviceId,
  namespace: 'lease-1',
  pod,
  container: 'main',
});
const gpus = { 'nvidia.com/gpu': '3' };
const asks = { extended: { 'nvidia.com/gpu': 1 } };

/** A node with an H100, a sick H100 and an A100, and a pod on the first. */
function ledgerWith(silence?: AgentSilence): InventoryLedger {
  const ledger = new InventoryLedger(knowledge);
  ledger.setNode(testNode('n1', gpus), 0);
  ledger.setHardware('n1', testHardware([testGpu(0), sick, testGpu(2, '20b2')]), { devices: [holderOf('train-0', 'GPU-0')] }, 0);
  ledger.setPod(testPod('uid-1', 'n1', asks, { name: 'train-0', createdAt: 500 }), 0);
  ledger.setAgent('n1', silence, 0);
  return ledger;
}

const view = (ledger: InventoryLedger) => {
  const node = ledger.nodeView('n1');
  return {
    states: node?.devices.map(({ state }) => state),
    holders: node?.devices.map(({ holder }) => holder?.podUid),
    available: Object.fromEntries(node?.gpus.map(({ model, amount }) => [model, amount.available]) ?? []),
    stale: node?.stale,
    conditions: node?.conditions.map(({ code }) => code),
  };
};

describe('what a silent agent said', () => {
  const silence: AgentSilence = { lastContactAt: 1_000, reason: 'its pod is not ready', isBrief: false };

  it('is stale since then: its holders and the health of its cards are unknown, what it held against one is not forgotten', () => {
    expect(view(ledgerWith())).toMatchObject({
      states: ['healthy', 'quarantined', 'healthy'],
      holders: ['uid-1', undefined, undefined],
      stale: [],
    });
    const ledger = ledgerWith(silence);
    expect(view(ledger)).toMatchObject({
      states: ['unknown', 'quarantined', 'unknown'],
      holders: [undefined, undefined, undefined],
      stale: [{ source: 'agent', lastContactAt: 1_000, reason: 'its pod is not ready' }],
    });
    expect(ledger.nodeView('n1')?.sellability.state).toBe('sellable');
    // Nobody knows which card the pod has: each model may lack it.
    expect(view(ledgerWith()).available).toEqual({ h100: 0, a100: 1 });
    expect(view(ledger).available).toEqual({ h100: 0, a100: 0 });
    ledger.setAgent('n1', undefined, 0);
    expect(view(ledger)).toEqual(view(ledgerWith()));
  });

  it('counts on while the silence is brief, but for a pod that came later under the name of one that is gone', () => {
    const ledger = ledgerWith({ ...silence, isBrief: true });
    expect(view(ledger)).toEqual(view(ledgerWith()));
    ledger.removePod('uid-1', 0);
    ledger.setPod(testPod('uid-2', 'n1', asks, { name: 'train-0', createdAt: 2_000 }), 0);
    expect(view(ledger)).toMatchObject({ holders: [undefined, undefined, undefined], available: { h100: 0, a100: 0 } });
  });

  it('is told of a node before the node itself, and forgotten with it', () => {
    const ledger = new InventoryLedger(knowledge);
    ledger.setAgent('n1', silence, 0);
    ledger.setNode(testNode('n1', gpus), 0);
    expect(view(ledger).stale).toHaveLength(1);
    ledger.removeNode('n1', 0);
    ledger.setAgent('n1', undefined, 0);
    ledger.setNode(testNode('n1', gpus), 0);
    expect(view(ledger).stale).toEqual([]);
  });
});

describe('what is stored of another machine under the name of a node', () => {
  const old = {
    ...testHardware([testGpu(0), sick]),
    nodeUid: 'uid-of-n1',
    machine: { systemUuid: 'a', serial: 'S1' },
    disks: [],
  } satisfies HardwareFacts;

  it.each([
    ['another Node', { uid: 'uid-2', systemUuid: 'a' }, 'is of the node with the UID uid-of-n1, this one has uid-2'],
    ['another system', { uid: 'uid-of-n1', systemUuid: 'b' }, 'is of a machine with the system UUID a, the kubelet reports b'],
  ])('gives it no card, no disk and no identity: %s', (_, more, evidence) => {
    const ledger = new InventoryLedger(knowledge);
    ledger.setNode(testNode('n1', gpus, { systemUuid: 'a' }), 0);
    ledger.setHardware('n1', old, { devices: [holderOf('train-0', 'GPU-0')] }, 0);
    ledger.setPod(testPod('uid-1', 'n1', asks, { name: 'train-0' }), 0);
    expect(view(ledger)).toMatchObject({
      states: ['healthy', 'quarantined'],
      conditions: expect.not.arrayContaining(['HardwareOfOtherMachine']),
    });
    ledger.removeNode('n1', 0);
    ledger.setNode(testNode('n1', gpus, more), 0);
    expect(view(ledger)).toMatchObject({ states: [], holders: [], conditions: ['HardwareOfOtherMachine'] });
    expect(ledger.nodeView('n1')?.hardware).toEqual({ machine: {}, cpus: [], memoryModules: [], disks: [], nics: [] });
    expect(ledger.nodeView('n1')?.conditions[0]?.message).toContain(evidence);
    // Cards of which nothing is known but that the kubelet offers them.
    expect(view(ledger).available).toEqual({ 'unknown-10de': 2 });
    const own = { ...testHardware(undefined), nodeUid: more.uid, machine: { systemUuid: more.systemUuid } };
    ledger.setHardware('n1', own, undefined, 0);
    expect(view(ledger)).toMatchObject({ states: [], conditions: [] });
  });

  it('gives it none of the devices that the driver of the other published', () => {
    const spec = { driver: 'gpu.nvidia.com', nodeName: 'n1', pool: { name: 'n1', generation: 1, resourceSliceCount: 1 } };
    const devices = (uid: string) => {
      const metadata = { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n1', uid }] };
      const card = { name: 'gpu-0', attributes: { uuid: { string: `GPU-${uid}` } } };
      const others = { name: 'nic-0', attributes: { type: { string: 'partition' } } };
      return observeDevices([observeSlice({ metadata, spec: { ...spec, devices: [card, others] } })], []).get('n1') ?? [];
    };
    const ledger = new InventoryLedger(knowledge);
    ledger.setDevices('n1', devices('uid-of-n1'), 0);
    ledger.setNode(testNode('n1'), 0);
    const found = () => [ledger.nodeView('n1')?.devices.map(({ id }) => id), [...(ledger.nodeView('n1')?.extended.keys() ?? [])]];
    expect(found()).toEqual([['GPU-uid-of-n1'], ['gpu.nvidia.com']]);
    ledger.removeNode('n1', 0);
    ledger.setNode(testNode('n1', {}, { uid: 'uid-2' }), 0);
    expect(found()).toEqual([[], []]);
    ledger.setDevices('n1', devices('uid-2'), 0);
    expect(found()).toEqual([['GPU-uid-2'], ['gpu.nvidia.com']]);
  });

  it('holds nothing against its cards, not even against one without an id in the same place', () => {
    const nameless = (health: HardwareFacts['gpus']) => testHardware(health?.map((gpu) => ({ ...gpu, uuid: undefined })));
    const ledger = new InventoryLedger(knowledge);
    ledger.setNode(testNode('n1', { 'nvidia.com/gpu': '1' }), 0);
    ledger.setHardware('n1', { ...nameless([sick]), nodeUid: 'uid-of-n1' }, undefined, 0);
    ledger.setNode(testNode('n1', { 'nvidia.com/gpu': '1' }, { uid: 'uid-2' }), 0);
    ledger.setHardware('n1', { ...nameless([testGpu(1)]), nodeUid: 'uid-2' }, undefined, 1);
    expect(view(ledger)).toMatchObject({ states: ['healthy'], available: { h100: 1 } });
  });

  it('counts only where every identity agrees that both sides know', () => {
    const id = fc.option(fc.constantFrom('a', 'b'), { nil: undefined });
    fc.assert(
      fc.property(id, id, fc.constantFrom('a', 'b'), id, (nodeUid, told, uid, systemUuid) => {
        const differs = (x: string | undefined, y: string | undefined) => new Set([x, y].filter((each) => each !== undefined)).size === 2;
        expect(areOfNode({ nodeUid, machine: { systemUuid: told } }, { uid, systemUuid })).toBe(
          !differs(nodeUid, uid) && !differs(told, systemUuid),
        );
      }),
    );
  });
});
