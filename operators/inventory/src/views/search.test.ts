import { describe, expect, it } from 'vitest';
import { gpuDevice, nodeInventory, storageInventory } from '../../test/inventory-values.ts';
import { bestOf, type RankedHit, searchInventory } from './search.ts';

const hardware = {
  machine: { serial: 'SN-7QX-4411', systemUuid: '4c4c4544-0042-3510-8051-b4c04f4d3532' },
  cpus: [],
  memoryModules: [],
  disks: [{ name: 'nvme0n1', kind: 'nvme', sizeBytes: 1, serial: 'S64GNX0R512345' }],
  nics: [{ name: 'eth0', mac: '3c:ec:ef:1a:2b:3c' }],
} as const;
const nodes = [
  ...Array.from({ length: 30 }, (_, index) => nodeInventory(`node-${index}`)),
  nodeInventory('gpu-7', { hardware, devices: [gpuDevice('GPU-5A1B2C3D-0000-1111-2222-333344445555')] }),
];
const storage = ['beta3', 'node-local'].map((name) => storageInventory(name));
const find = (query: string, limit = 12) => searchInventory({ nodes, storage }, query, limit);
const found = (query: string) => find(query).hits.map(({ kind, id }) => [kind, id]);

describe('a search of the inventory', () => {
  it('says in which kinds it looked, whatever it found', () => {
    expect(find('nothing of the sort')).toEqual({ hits: [], searched: ['node', 'gpu', 'class'] });
    expect(find('  ')).toEqual({ hits: [], searched: ['node', 'gpu', 'class'] });
  });

  it('finds nodes, GPUs and classes by a part of their names, whatever the case', () => {
    expect(found(' NODE-29 ')).toEqual([['node', 'node-29']]);
    expect(found('Beta')).toEqual([['class', 'beta3']]);
    expect(found('gpu-5a1b')).toEqual([['gpu', 'gpu-7 GPU-5A1B2C3D-0000-1111-2222-333344445555']]);
  });

  it.each([
    ['a MAC address', '3c:ec:ef:1a:2b:3c', 'MAC 3c:ec:ef:1a:2b:3c of eth0'],
    ['one without colons', '3CECEF1A2B3C', 'MAC 3c:ec:ef:1a:2b:3c of eth0'],
    ['one with dots', '3cec.ef1a.2b3c', 'MAC 3c:ec:ef:1a:2b:3c of eth0'],
    ['a part of one with dashes', 'EF-1A-2B', 'MAC 3c:ec:ef:1a:2b:3c of eth0'],
    ['a UUID without dashes', '4c4c4544004235108051', 'UUID 4c4c4544-0042-3510-8051-b4c04f4d3532'],
    ['a part of a serial number', 'qx-44', 'serial number SN-7QX-4411'],
    ['the serial number of a disk', '0r5123', 'serial number S64GNX0R512345 of disk nvme0n1'],
  ])('finds a node by %s', (_what, query, detail) => {
    expect(find(query).hits).toEqual([{ kind: 'node', id: 'gpu-7', label: 'gpu-7', detail }]);
  });

  it('finds a GPU whose UUID is written without dashes', () => {
    expect(found('5a1b2c3d00001111')).toEqual([['gpu', 'gpu-7 GPU-5A1B2C3D-0000-1111-2222-333344445555']]);
  });

  it('takes two characters for a part of a name only: they would be in the addresses of half of the machines', () => {
    expect(found('ef')).toEqual([]);
  });

  it('puts the exact name first, names that start with the words next, and lets no kind crowd out another', () => {
    expect(found('node-2').slice(0, 2)).toEqual([
      ['node', 'node-2'],
      ['node', 'node-20'],
    ]);
    const hits = found('node');
    expect(hits).toHaveLength(12);
    expect(hits).toContainEqual(['class', 'node-local']);
    expect(find('node', 3).hits).toHaveLength(3);
  });
});

describe('bestOf', () => {
  const hit = (kind: string, label: string, rank: number): RankedHit => ({ kind, id: label, label, detail: '', rank });

  it('fills up with what is left where kinds have fewer than their share', () => {
    const [many, few] = [Array.from({ length: 9 }, (_, index) => hit('a', `a${index}`, 1)), [hit('b', 'b', 0)]];
    expect(bestOf([many, few], 6).map(({ label }) => label)).toEqual(['b', 'a0', 'a1', 'a2', 'a3', 'a4']);
  });
});
