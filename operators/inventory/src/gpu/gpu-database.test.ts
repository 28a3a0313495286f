import { describe, expect, it } from 'vitest';
import { mergedGpuDatabase, parseGpuDatabase, parseGpuOverrides, shippedGpuDatabase } from './gpu-database.ts';
import { GpuOverrides } from './gpu-overrides.ts';

const gi = 2 ** 30;
const one = (device: unknown, vendor = '10de', product = '2330'): string =>
  JSON.stringify({ [vendor]: { name: 'nvidia', devices: { [product]: device } } });

describe('parseGpuDatabase', () => {
  it('reads vendors and devices, with sizes in bytes', () => {
    const database = parseGpuDatabase(one({ name: 'h100', interface: 'SXM5', memory_size: '80Gi' }));
    expect(database.get('10de')?.name).toBe('nvidia');
    expect(database.get('10de')?.devices.get('2330')).toEqual({ name: 'h100', interface: 'SXM5', memoryBytes: 80 * gi });
  });

  it('takes an empty or absent interface and size for not known', () => {
    expect(
      parseGpuDatabase(one({ name: 'gb10', interface: '', memory_size: '' }))
        .get('10de')
        ?.devices.get('2330'),
    ).toEqual({
      name: 'gb10',
      interface: '',
      memoryBytes: 0,
    });
    expect(
      parseGpuDatabase(one({ name: 'gb10' }))
        .get('10de')
        ?.devices.get('2330')?.memoryBytes,
    ).toBe(0);
  });

  it.each([
    ['not json', 'not JSON'],
    ['[]', 'must be an object of PCI vendor ids'],
    ['{"10DE":{"name":"nvidia","devices":{}}}', '10DE: is not a PCI vendor id'],
    ['{"10de":{"devices":{}}}', '10de.name: must be'],
    ['{"10de":{"name":"nvidia"}}', '10de.devices: must be an object'],
    ['{"10de":{"name":"nvidia","devices":{},"more":1}}', '10de.more: is not a field of a vendor'],
    [one({ name: 'h100' }, '10de', '233'), '10de.devices.233: is not a PCI product id'],
    [one({ name: 'NVIDIA H100' }), '10de.devices.2330.name: must be'],
    [one({ name: 'x'.repeat(64) }), '10de.devices.2330.name: must be'],
    [one({ name: 'h100', interface: 'P CI' }), '10de.devices.2330.interface: must be'],
    [one({ name: 'h100', memory_size: '80 GB' }), '10de.devices.2330.memory_size: "80 GB" must be a size'],
    [one({ name: 'h100', memory_size: '-1Gi' }), '10de.devices.2330.memory_size'],
    [one({ name: 'h100', memory_size: 80 }), '10de.devices.2330.memory_size: must be a text'],
    [one({ name: 'h100', memory: '80Gi' }), '10de.devices.2330.memory: is not a field of a device'],
    [one('h100'), '10de.devices.2330: must be an object'],
  ])('refuses %s and names the field', (text, message) => {
    expect(() => parseGpuDatabase(text)).toThrow(message);
  });
});

describe('mergedGpuDatabase', () => {
  const merged = mergedGpuDatabase(
    parseGpuDatabase(
      JSON.stringify({
        '1002': { name: 'amd', devices: { '74a1': { name: 'mi300x' } } },
        '10de': {
          name: 'nvidia',
          devices: { 2330: { name: 'h100', interface: 'SXM5', memory_size: '80Gi' }, '1eb8': { name: 't4', interface: 'PCIe' } },
        },
      }),
    ),
    parseGpuDatabase(
      JSON.stringify({
        '10de': {
          name: 'nvidia',
          devices: { 2330: { name: 'h100', memory_size: '81Gi' }, '1eb8': { name: 't4x' }, 3000: { name: 'new' } },
        },
        1234: { name: 'acme', devices: { 5678: { name: 'road' } } },
      }),
    ),
  );

  it('keeps what the newer one does not mention, whole vendors and single devices', () => {
    expect([...merged.keys()].toSorted()).toEqual(['1002', '10de', '1234']);
    expect([...(merged.get('10de')?.devices.keys() ?? [])].toSorted()).toEqual(['1eb8', '2330', '3000']);
    expect(merged.get('1002')?.devices.get('74a1')?.name).toBe('mi300x');
  });

  it('takes the word of the newer one for each device, and fills in what it leaves open of the same model', () => {
    expect(merged.get('10de')?.devices.get('2330')).toEqual({ name: 'h100', interface: 'SXM5', memoryBytes: 81 * gi });
    expect(merged.get('10de')?.devices.get('1eb8')).toEqual({ name: 't4x', interface: '', memoryBytes: 0 });
  });
});

describe('the shipped database', () => {
  const database = shippedGpuDatabase();

  it.each([
    ['10de', '2330', 'h100', 'SXM5', 80],
    ['10de', '2335', 'h200', 'SXM5', 141],
    ['10de', '2684', 'rtx4090', 'PCIe', 24],
    ['10de', '26b9', 'l40s', 'PCIe', 48],
    ['10de', '20b5', 'a100', 'PCIe', 80],
    ['10de', '1eb8', 't4', 'PCIe', 16],
    ['10de', '2901', 'b200', 'SXM6', 180],
    ['1002', '74a1', 'mi300x', 'OAM', 192],
    ['1002', '7448', 'w7900', 'PCIe', 48],
  ])('knows %s:%s as %s', (vendor, product, name, form, memory) => {
    expect(database.get(vendor)?.devices.get(product)).toEqual({ name, interface: form, memoryBytes: memory * gi });
  });

  it('has both vendors with their datacenter and workstation models', () => {
    expect(database.get('10de')?.devices.size).toBeGreaterThanOrEqual(150);
    expect(database.get('1002')?.devices.size).toBeGreaterThanOrEqual(20);
  });
});

describe('GpuOverrides', () => {
  it('reads ids that look like numbers as ids', () => {
    const database = parseGpuOverrides(
      '10de:\n  name: nvidia\n  devices:\n    1e30: { name: my-card, memory_size: 24Gi }\n    2330: { name: "100" }\n',
    );
    expect([...(database.get('10de')?.devices.keys() ?? [])].toSorted()).toEqual(['1e30', '2330']);
    expect(database.get('10de')?.devices.get('2330')?.name).toBe('100');
  });

  it('replaces everything at once, so that what was removed is gone', () => {
    const overrides = new GpuOverrides();
    expect(overrides.set(one({ name: 'a' }))).toBe(true);
    expect(overrides.set(one({ name: 'b' }, '10de', '2331'))).toBe(true);
    expect([...(overrides.current.get('10de')?.devices.keys() ?? [])]).toEqual(['2331']);
    expect(overrides.set(undefined)).toBe(true);
    expect(overrides.current.size).toBe(0);
  });

  it('keeps the last good text and says why the newest is ignored, until it is mended', () => {
    const overrides = new GpuOverrides();
    overrides.set(one({ name: 'a' }));
    expect(overrides.set('10de: [')).toBe(false);
    expect(overrides.problem).toContain('not YAML');
    expect(overrides.set(one({ name: 'Not A Label' }))).toBe(false);
    expect(overrides.problem).toContain('10de.devices.2330.name');
    expect(overrides.current.get('10de')?.devices.get('2330')?.name).toBe('a');
    expect(overrides.set(one({ name: 'a' }))).toBe(true);
    expect(overrides.problem).toBeUndefined();
  });
});
