import { describe, expect, it } from 'vitest';
import { gi, knowledge, testGpu, testHardware, testNode, testPod } from '../../test/ledger-fixtures.ts';
import { serviceLabel } from '../model/lease-labels.ts';
import type { ObservedPod } from '../model/observed.ts';
import { InventoryLedger } from './inventory-ledger.ts';

const leaseLabels = { 'akash.network/lease.id.dseq': '7', [serviceLabel]: 'web' };
const leasePod = (uid: string, node: string, more: Partial<ObservedPod> = {}): ObservedPod =>
  testPod(uid, node, { cpuMillis: 500, memoryBytes: gi, ramBytes: 3, extended: { 'nvidia.com/gpu': 1 } }, { leaseLabels, ...more });

function ledgerWith(...nodes: readonly string[]): InventoryLedger {
  const ledger = new InventoryLedger(knowledge);
  for (const name of nodes) ledger.setNode(testNode(name, { 'nvidia.com/gpu': '2' }), 0);
  ledger.leasePods.setNamespace('lease-1', 'namespace-a');
  return ledger;
}

/** As the feed does: first what is counted of nodes, then the pods in it. */
function taken(ledger: InventoryLedger): readonly string[] {
  for (const name of ledger.takeChanges(0).nodes) ledger.nodeView(name);
  return ledger.leasePods.take();
}

describe('lease pods of the ledger', () => {
  it('have all that is counted of them, with the namespace that they are in', () => {
    const ledger = ledgerWith('n1');
    ledger.setPod(leasePod('a', 'n1'), 0);
    expect(taken(ledger)).toEqual(['a']);
    expect(ledger.leasePods.get('a')).toEqual({
      uid: 'a',
      namespace: 'lease-1',
      namespaceUid: 'namespace-a',
      name: 'a',
      leaseLabels,
      node: 'n1',
      requests: { cpuMillis: 500, memoryBytes: gi, ephemeralStorageBytes: 0, extended: new Map([['nvidia.com/gpu', 1]]) },
      ramBytes: 3,
      devices: [],
    });
  });

  it('are none of the pods without a label of a lease', () => {
    const ledger = ledgerWith('n1');
    ledger.setPod(testPod('plain', 'n1', { cpuMillis: 1 }), 0);
    ledger.setPod(testPod('plain', 'n1', { cpuMillis: 2 }), 0);
    ledger.removePod('plain', 0);
    expect(taken(ledger)).toEqual([]);
    ledger.setPod(testPod('service', 'n1', {}, { leaseLabels: { [serviceLabel]: 'web' } }), 0);
    expect(taken(ledger)).toEqual(['service']);
  });

  it('come and go with their labels', () => {
    const ledger = ledgerWith('n1');
    ledger.setPod(leasePod('a', 'n1', { leaseLabels: {} }), 0);
    expect(taken(ledger)).toEqual([]);
    ledger.setPod(leasePod('a', 'n1'), 0);
    expect(taken(ledger)).toEqual(['a']);
    const other = { 'akash.network/lease.id.dseq': '8' };
    ledger.setPod(leasePod('a', 'n1', { leaseLabels: other }), 0);
    expect(taken(ledger)).toEqual(['a']);
    expect(ledger.leasePods.get('a')?.leaseLabels).toEqual(other);
    ledger.setPod(leasePod('a', 'n1', { leaseLabels: {} }), 0);
    expect(taken(ledger)).toEqual(['a']);
    expect(ledger.leasePods.get('a')).toBeUndefined();
  });

  it('move, finish and are removed', () => {
    const ledger = ledgerWith('n1', 'n2');
    ledger.setPod(leasePod('a', 'n1'), 0);
    ledger.setPod(leasePod('b', 'n1'), 0);
    taken(ledger);
    ledger.setPod(leasePod('a', 'n2'), 0);
    expect([taken(ledger), ledger.leasePods.get('a')?.node]).toEqual([['a'], 'n2']);
    ledger.setPod(leasePod('a', ''), 0);
    expect([taken(ledger), ledger.leasePods.get('a')]).toEqual([['a'], undefined]);
    ledger.removePod('b', 0);
    expect([taken(ledger), ledger.leasePods.get('b')]).toEqual([['b'], undefined]);
  });

  it('count while their node does', () => {
    const ledger = ledgerWith();
    ledger.setPod(leasePod('early', 'n1'), 0);
    taken(ledger);
    expect(ledger.leasePods.get('early')).toBeUndefined();
    ledger.setNode(testNode('n1'), 0);
    expect(taken(ledger)).toEqual(['early']);
    expect(ledger.leasePods.get('early')?.node).toBe('n1');
    ledger.removeNode('n1', 0);
    expect([taken(ledger), ledger.leasePods.get('early')]).toEqual([['early'], undefined]);
  });

  it('say no namespace that is not known, and another once it was made again', () => {
    const ledger = ledgerWith('n1');
    ledger.setPod(leasePod('a', 'n1'), 0);
    ledger.setPod(leasePod('elsewhere', 'n1', { namespace: 'lease-2' }), 0);
    taken(ledger);
    expect(ledger.leasePods.get('elsewhere')?.namespaceUid).toBeUndefined();
    const uidAfter = (uid: string | undefined) => {
      ledger.leasePods.setNamespace('lease-1', uid);
      return [taken(ledger), ledger.leasePods.get('a')?.namespaceUid];
    };
    expect(uidAfter('namespace-a')).toEqual([[], 'namespace-a']);
    expect(uidAfter(undefined)).toEqual([['a'], undefined]);
    expect(uidAfter('namespace-b')).toEqual([['a'], 'namespace-b']);
    ledger.removePod('a', 0);
    taken(ledger);
    expect(uidAfter('namespace-c')).toEqual([[], undefined]);
  });

  it('hold the cards that the kubelet or a claim says, and nobody else changes with them', () => {
    const ledger = ledgerWith('n1');
    for (const uid of ['a', 'b', 'c']) ledger.setPod(leasePod(uid, 'n1'), 0);
    taken(ledger);
    const held = (...pods: readonly string[]) => {
      const devices = pods.map((pod, i) => ({
        resource: 'nvidia.com/gpu',
        deviceId: `GPU-${i}`,
        namespace: 'lease-1',
        pod,
        container: 'web',
      }));
      ledger.setHardware('n1', testHardware([testGpu(0), testGpu(1)]), { devices }, 0);
      return [taken(ledger).toSorted(), ...['a', 'b'].map((uid) => ledger.leasePods.get(uid)?.devices)];
    };
    expect(held('a')).toEqual([['a'], ['GPU-0'], []]);
    expect(held('a', 'b')).toEqual([['b'], ['GPU-0'], ['GPU-1']]);
    expect(held('b', 'a')).toEqual([['a', 'b'], ['GPU-1'], ['GPU-0']]);
    expect(held('b')).toEqual([['a'], [], ['GPU-0']]);
    expect(held('b')).toEqual([[], [], ['GPU-0']]);
  });

  it('are not looked at for what other pods of their node do', () => {
    const ledger = ledgerWith('n1');
    for (let index = 0; index < 100; index += 1) ledger.setPod(leasePod(`lease-${index}`, 'n1'), 0);
    expect(taken(ledger)).toHaveLength(100);
    ledger.setPod(testPod('plain', 'n1', { cpuMillis: 1, extended: { 'nvidia.com/gpu': 1 } }), 0);
    expect(taken(ledger)).toEqual([]);
    ledger.setPod(leasePod('lease-7', 'n1', { ramBytes: 4 }), 0);
    expect(taken(ledger)).toEqual(['lease-7']);
  });
});
