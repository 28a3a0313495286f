import { describe, expect, it } from 'vitest';
import { gib, gpuDevice, gpuGroup, nodeInventory, snapshotWith, storageInventory } from '../../../test/inventory-values.ts';
import { amount } from '../../model/amount.ts';
import type { NodeInventory } from '../../model/node-inventory.ts';
import { explainClass } from './explain-class.ts';
import { explainGpu } from './explain-gpu.ts';
import { explainNode } from './explain-node.ts';

const cordoned = { code: 'Cordoned', message: 'the node is cordoned: kubectl uncordon n1', since: 1000 };
const heldBack: Pick<NodeInventory, 'sellability'> = { sellability: { state: 'held-back', reasons: [cordoned] } };
const sick = { code: 'Xid', message: 'Xid 79: the card fell off the bus: reset or replace it', since: 5 };

describe('explain', () => {
  it('says that a node can be sold, with its figures', () => {
    const extended = new Map([
      ['hugepages-1Gi', amount(0, 0, 0)],
      ['hugepages-2Mi', amount(gib, gib, 0)],
      ['nvidia.com/mig-1g.10gb', amount(7, 7, 2)],
    ]);
    const explanation = explainNode(snapshotWith([nodeInventory('n1', { gpus: [gpuGroup()], extended })]), 'n1');
    expect(explanation).toMatchObject({ subject: 'node n1', state: 'sellable', summary: 'n1 is sellable', reasons: [] });
    expect(explanation.figures.map(({ name, unit, amount: { available } }) => [name, unit, available])).toEqual([
      ['cpu', 'millicores', 12_949],
      ['memory', 'bytes', 58 * gib],
      ['ephemeral-storage', 'bytes', 360 * gib],
      ['nvidia/h100/SXM5', 'devices', 6],
      ['hugepages-2Mi', 'bytes', gib],
      ['nvidia.com/mig-1g.10gb', 'devices', 5],
    ]);
  });

  it('says everything of which too much is promised, also what does not hold the node back', () => {
    const cpu = { code: 'OverAllocated', message: 'cpu: too many' };
    const cards = { code: 'OverAllocated', message: 'nvidia.com/gpu (h100): too many' };
    const sellability = { state: 'held-back' as const, reasons: [cpu] };
    const { reasons } = explainNode(snapshotWith([nodeInventory('n1', { sellability, conditions: [cpu, cards] })]), 'n1');
    expect(reasons.map(({ reason }) => reason)).toEqual([cpu, cards]);
  });

  it('says why a node is held back, since when, and what to do', () => {
    const divided = { code: 'GpuDivided', message: 'nvidia.com/gpu stands for parts of cards' };
    const explanation = explainNode(snapshotWith([nodeInventory('n1', { ...heldBack, conditions: [divided] })]), 'n1');
    expect(explanation).toMatchObject({ state: 'held-back', summary: 'n1 is held back: Cordoned' });
    expect(explanation.reasons).toEqual([
      { about: 'n1', reason: cordoned, wayOut: cordoned.message },
      { about: 'n1', reason: divided, wayOut: expect.stringContaining('turn MIG or time slicing off') },
    ]);
  });

  it('says of a full node that it is full', () => {
    const explanation = explainNode(snapshotWith([nodeInventory('n1', { cpu: amount(1000, 1000, 1000) })]), 'n1');
    expect(explanation.summary).toBe('n1 is sellable, but it has no CPU left');
  });

  it('counts the cards of a model, and says where they are held back and why', () => {
    const devices = [gpuDevice('GPU-1'), gpuDevice('GPU-2', { state: 'quarantined', reason: sick })];
    const snapshot = snapshotWith([
      nodeInventory('a', { gpus: [gpuGroup({ amount: amount(8, 7, 2) })], devices }),
      nodeInventory('b', { gpus: [gpuGroup({ amount: amount(4, 4, 0) })], ...heldBack }),
      nodeInventory('c', { gpus: [gpuGroup({ model: 't4' })] }),
    ]);
    const explanation = explainGpu(snapshot, 'h100');
    expect(explanation.summary).toBe('12 in total: 5 sellable, 2 allocated, 1 held back, 4 on nodes that are held back or unknown');
    expect(explanation.places.map(({ node, state }) => [node, state])).toEqual([
      ['a', 'sellable'],
      ['b', 'held-back'],
    ]);
    expect(explanation.reasons.map(({ about, reason }) => [about, reason.code])).toEqual([
      ['a GPU-2', 'Xid'],
      ['b', 'Cordoned'],
    ]);
    expect(explainGpu(snapshot, 'NVIDIA/H100/sxm5/80gi').summary).toBe(explanation.summary);
    expect(() => explainGpu(snapshot, 'nvidia/h100/PCIe')).toThrow('there are nvidia/h100, nvidia/t4');
  });

  it('says of cards that the kubelet does not offer who to ask, although their node can be sold', () => {
    const notOffered = { code: 'GpuNotOffered', message: '8 cards are fit, the kubelet offers 7: look at the device plugin' };
    const full = { code: 'OverAllocated', message: 'hugepages-2Mi: too much' };
    const gpus = [gpuGroup({ amount: amount(8, 7, 2) })];
    const explanation = explainGpu(snapshotWith([nodeInventory('a', { gpus, conditions: [full, notOffered] })]), 'h100');
    expect(explanation.summary).toContain('1 held back');
    expect(explanation.reasons).toEqual([{ about: 'a', reason: notOffered, wayOut: notOffered.message }]);
  });

  it('tells a class that is refused from one of which nobody knows how much there is', () => {
    const { amount: _none, ...unread } = storageInventory('local');
    const refused = (code: string) => explainClass(snapshotWith([], [{ ...unread, refusal: { code, message: 'do this' } }]), 'local').state;
    expect(refused('ClassNotListed')).toBe('held-back');
    expect(refused('AgentMissing')).toBe('unknown');
    expect(refused('CapacityUnknown')).toBe('unknown');
  });

  it('explains one card by its id, with its holder', () => {
    const holder = { namespace: 'lease', pod: 'web-0', source: 'kubelet' as const };
    const devices = [gpuDevice('GPU-1', { holder }), gpuDevice('GPU-2', { state: 'quarantined', reason: sick })];
    const snapshot = snapshotWith([nodeInventory('a', { gpus: [gpuGroup()], devices })]);
    expect(explainGpu(snapshot, 'GPU-1')).toMatchObject({
      state: 'sellable',
      summary: 'nvidia h100 on a is healthy; lease/web-0 holds it',
      figures: [{ amount: { available: 0, allocated: 1 } }],
    });
    const parts = [
      { id: 'MIG-1', kind: 'mig', profile: '1g.10gb', memoryBytes: 0, holder },
      { id: 'MIG-2', kind: 'mig', profile: '1g.10gb', memoryBytes: 0 },
    ] as const;
    const cut = snapshotWith([nodeInventory('a', { gpus: [gpuGroup()], devices: [gpuDevice('GPU-3', { parts })] })]);
    for (const id of ['GPU-3', 'MIG-2']) {
      expect(explainGpu(cut, id)).toMatchObject({ state: 'held-back', subject: 'gpu GPU-3', figures: [{ amount: { available: 0 } }] });
    }
    expect(explainGpu(cut, 'MIG-1').summary).toContain('1g.10gb MIG-2: no holder known');
    expect(explainGpu(snapshot, 'GPU-2')).toMatchObject({ state: 'held-back', reasons: [{ about: 'a GPU-2', wayOut: sick.message }] });
  });

  it('says why a class is not offered, and where the space of a local one is', () => {
    const perNode = new Map([
      ['a', amount(100 * gib, 100 * gib, 0)],
      ['b', amount(200 * gib, 200 * gib, 50 * gib)],
    ]);
    const snapshot = snapshotWith(
      [nodeInventory('a'), nodeInventory('b', heldBack)],
      [
        storageInventory('beta2', { refusal: { code: 'ClassNotListed', message: 'add it to cluster_storage' } }),
        storageInventory('local', { perNode, amount: amount(300 * gib, 300 * gib, 50 * gib) }),
      ],
    );
    expect(explainClass(snapshot, 'beta2')).toMatchObject({
      state: 'held-back',
      summary: 'beta2 is not offered: ClassNotListed',
      reasons: [{ about: 'beta2', wayOut: 'add it to cluster_storage' }],
    });
    expect(explainClass(snapshot, 'local').places).toMatchObject([
      { node: 'a', state: 'sellable', amount: { available: 100 * gib } },
      { node: 'b', state: 'held-back', amount: { available: 150 * gib }, reasons: [{ code: 'Cordoned' }] },
    ]);
  });

  it('names what there is when asked for what there is not', () => {
    const snapshot = snapshotWith([nodeInventory('a')], [storageInventory('beta3')]);
    expect(() => explainNode(snapshot, 'x')).toThrow(expect.objectContaining({ code: 'not_found' }));
    expect(() => explainClass(snapshot, 'x')).toThrow('storage class x does not exist: there are beta3');
    expect(() => explainGpu(snapshot, 'x')).toThrow('gpu x does not exist: the cluster has no GPUs');
  });
});
