import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type GPUInfoSchema, NodeSchema, StorageSchema } from '@quartermaster/api/akash-inventory';
import { describe, expect, it } from 'vitest';
import { parseCommitLevel } from '../placement/commit-level.ts';
import { akashClass, akashNode, type SeenRequests } from './akash-figures.ts';

const Gi = 2 ** 30;
const pair = (allocatable: string, allocated: string) => ({ allocatable: { string: allocatable }, allocated: { string: allocated } });
const card = { vendor: 'nvidia', name: 'a100', modelid: '20b5', interface: 'SXM4', memorySize: '80Gi' };
const none: SeenRequests = { cpuMillis: 0, memoryBytes: 0, ephemeralBytes: 0, cards: new Map() };

const node = (info: readonly MessageInitShape<typeof GPUInfoSchema>[] = [], gpus = pair('0', '0'), cpu = pair('16', '3500m')) =>
  create(NodeSchema, {
    name: 'n1',
    resources: {
      cpu: { quantity: cpu },
      memory: { quantity: pair('64Gi', '2Gi') },
      ephemeralStorage: pair('100Gi', '0'),
      gpu: { quantity: gpus, info: [...info] },
    },
    capabilities: { storageClasses: ['beta3'] },
  });

describe('the figures of a node of akash.inventory.v1', () => {
  it('are its quantities, rounded so that no part of a unit is sold', () => {
    const { facts } = akashNode(node([], undefined, pair('15999999u', '1u')), none);
    expect(facts).toMatchObject({
      cpuMillis: 15_998,
      memoryBytes: 62 * Gi,
      ephemeralBytes: 100 * Gi,
      storageClasses: ['beta3'],
      cards: [],
    });
  });

  it('count every pod that is seen, whether the server has counted it or not, and once', () => {
    const seen = (cpuMillis: number) => akashNode(node(), { ...none, cpuMillis }).facts.cpuMillis;
    expect([seen(0), seen(3_500), seen(4_000), seen(17_000)]).toEqual([12_500, 12_500, 12_000, -1_000]);
    const cards = new Map([['nvidia.com/gpu', 3]]);
    expect(akashNode(node([card, card, card, card], pair('4', '1')), { ...none, cards }).facts.cards).toMatchObject([{ size: 4, free: 1 }]);
  });

  it('sell cards as one pool, in which any listed card may be free', () => {
    const t4 = { ...card, name: 't4', interface: 'PCIe', memorySize: '' };
    expect(akashNode(node([card, card, t4], pair('3', '1')), none).facts.cards).toEqual([
      {
        resource: 'nvidia.com/gpu',
        assignedBy: 'plugin',
        size: 3,
        free: 2,
        mayBeFree: [
          { vendor: 'nvidia', model: 'a100', interface: 'SXM4', memoryBytes: 80 * Gi },
          { vendor: 'nvidia', model: 't4', interface: 'PCIe', memoryBytes: 0 },
        ],
      },
    ]);
    // More are free than listed: nobody knows what the others are.
    expect(akashNode(node([card], pair('2', '0')), none).facts.cards).toMatchObject([{ mayBeFree: [{ model: 'a100' }, { model: '' }] }]);
    // One count for cards of two vendors says nothing of either.
    expect(akashNode(node([card, { ...card, vendor: 'amd' }], pair('2', '0')), none).facts.cards).toEqual([]);
  });

  it('hold back a node whose quantities cannot be read', () => {
    for (const cpu of [pair('many', '0'), pair('16', '-1'), pair('1e30', '0'), { allocatable: { string: '16' } }]) {
      expect(akashNode(node([], undefined, cpu as never), none).facts.heldBack).toMatchObject([{ code: 'FiguresUnreadable' }]);
    }
  });
});

describe('a storage class of akash.inventory.v1', () => {
  it('promises usable bytes as often as the commit level says', () => {
    const storage = (allocated: string) => create(StorageSchema, { info: { class: 'beta3' }, quantity: pair('100', allocated) });
    expect(akashClass(storage('90'), parseCommitLevel('1.5', 'level')).facts).toEqual({ name: 'beta3', freeBytes: 60 });
    expect(akashClass(storage('none'), parseCommitLevel('1', 'level')).facts.refusal?.code).toBe('FiguresUnreadable');
  });
});
