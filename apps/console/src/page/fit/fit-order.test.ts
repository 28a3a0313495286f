import { describe, expect, it } from 'vitest';
import { fieldOf, fitFields, readOrder } from './fit-order.ts';

const empty = Object.fromEntries(fitFields.map((field) => [field, ''])) as Record<(typeof fitFields)[number], string>;
const gib = 1024 ** 3;
const groups = [
  { vendor: 'nvidia', model: 'h100', interface: 'SXM5', memoryBytes: String(80 * gib) },
  { vendor: 'nvidia', model: 't4', interface: 'PCIe', memoryBytes: String(16 * gib) },
  { vendor: 'amd', model: 'mi300x', interface: '', memoryBytes: '0' },
];
const unitOf = (texts: Partial<typeof empty>) => readOrder({ ...empty, ...texts }, groups).request?.units?.[0];

describe('an order as somebody types it', () => {
  it('is read in the quantities of Kubernetes, one replica unless said otherwise', () => {
    expect(unitOf({ cpu: '500m', memory: '1.5Gi', disk: '2Gi', class: 'beta3', size: '10Gi' })).toEqual({
      id: 1,
      count: 1,
      cpuMillis: '500',
      memoryBytes: String(1.5 * gib),
      volumes: [
        { name: 'disk', kind: 'VOLUME_KIND_EPHEMERAL', bytes: String(2 * gib) },
        { name: 'data', kind: 'VOLUME_KIND_PERSISTENT', storageClass: 'beta3', bytes: String(10 * gib) },
      ],
    });
  });

  it('asks for external ports and leased addresses beside the rest', () => {
    expect(unitOf({ cpu: '1', ports: '2', ips: '2' })).toMatchObject({ randomPorts: 2, leasedIps: ['address-1', 'address-2'] });
    expect(unitOf({ cpu: '1' })).not.toHaveProperty('randomPorts');
    expect(readOrder({ ...empty, cpu: '1', ips: '65' }, groups).problems.ips).toBe('is out of range: enter at most 64');
    expect(['units[0].random_ports', 'request.units[0].leasedIps[1]'].map(fieldOf)).toEqual(['ports', 'ips']);
  });

  it('asks for the cards of a group as the market does, or for any of the vendors that there are', () => {
    expect(unitOf({ cpu: '1', gpus: '2', model: 'nvidia h100 SXM5 80Gi' })?.gpus).toEqual({
      count: 2,
      wants: [{ vendor: 'nvidia', model: 'h100', interface: 'sxm', memoryBytes: String(80 * gib) }],
    });
    expect(unitOf({ cpu: '1', gpus: '1', model: 'amd mi300x' })?.gpus?.wants).toEqual([{ vendor: 'amd', model: 'mi300x' }]);
    expect(unitOf({ cpu: '1', gpus: '1' })?.gpus?.wants).toEqual([
      { vendor: 'amd', model: '*' },
      { vendor: 'nvidia', model: '*' },
    ]);
    expect(readOrder({ ...empty, gpus: '1', model: 'nvidia h900' }, groups).problems.model).toBe('There is no nvidia h900 in the cluster.');
  });

  it('is no other question while it is not known which cards there are', () => {
    const texts = { ...empty, cpu: '1', gpus: '1', model: 'nvidia h100 SXM5 80Gi' };
    expect(readOrder(texts, undefined)).toMatchObject({ request: undefined, isWaiting: true, problems: {} });
    expect(readOrder({ ...texts, model: '' }, undefined)).toMatchObject({ request: undefined, isWaiting: true });
    expect(readOrder({ ...texts, gpus: '' }, undefined)).toMatchObject({ isWaiting: false, request: { units: [{ cpuMillis: '1000' }] } });
    expect(readOrder(texts, groups)).toMatchObject({ isWaiting: false });
  });

  it('is none while nothing is asked for', () => {
    for (const texts of [{}, { replicas: '3' }, { size: '10Gi' }, { cpu: '1', replicas: '0' }]) {
      expect(readOrder({ ...empty, ...texts }, groups)).toMatchObject({ request: undefined, problems: {} });
    }
  });

  it('says beside each field what is wrong with it', () => {
    const { request, problems } = readOrder({ ...empty, cpu: 'many', memory: '-1Gi', gpus: '1.5', class: 'beta3', size: '0' }, groups);
    expect(request).toBeUndefined();
    expect(Object.keys(problems).toSorted()).toEqual(['cpu', 'gpus', 'memory', 'size']);
    expect(problems.gpus).toContain('whole number');
    expect(problems.cpu).toContain('decimal number');
  });

  it('reads sizes as the console prints them, and says what a bare number is', () => {
    const read = (memory: string) => readOrder({ ...empty, memory }, groups);
    const all = ['2 TiB', '2TiB', '2Ti', '2\u202f048 GiB'].map((text) => read(text).request?.units?.[0]?.memoryBytes);
    expect(all).toEqual(Array(4).fill(String(2 * 1024 ** 4)));
    expect(read('64').notes.memory).toBe('64 bytes: add a unit, such as Gi or TiB');
    expect(read('64Gi').notes).toEqual({});
  });

  it.each([
    ['units[0].cpu_millis', 'cpu'],
    ['request.units[0].memory_bytes', 'memory'],
    ['request.units[0].gpus.count', 'gpus'],
    ['units[0].gpus.wants[0]', 'model'],
    ['units[0].count', 'replicas'],
    ['units', undefined],
  ])('shows what the service says against %s at %s', (path, field) => {
    expect(fieldOf(path)).toBe(field);
  });
});
