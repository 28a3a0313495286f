import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseUnitSerial } from './block-device.ts';
import { parseCpuInfo } from './cpu-info.ts';
import { systemUuidOf, withoutJunk } from './junk-text.ts';
import { parseMemInfo } from './memory-modules.ts';
import { nicOf } from './network-interface.ts';
import { parseGpuList, parseMigProfiles } from './nvidia-mig.ts';
import { parseNvidiaInformation, parseNvidiaVersion } from './nvidia-proc.ts';
import {
  gpuInterface,
  gpuQueryFields,
  parseCudaVersion,
  parseGpuQuery,
  parseLostGpus,
  parseNvlinkStatus,
  smiGpu,
  unknownField,
} from './nvidia-smi.ts';
import { hexId, isAccelerator, pciAddress, pciAddressInPath } from './pci.ts';
import { parseUsage } from './utilization.ts';

describe('parsers of text', () => {
  it('survive any text', () => {
    const pieces = fc.constantFrom(
      'processor\t: ',
      'physical id : ',
      'MemTotal:  ',
      ' kB\n',
      'GPU UUID: ',
      'GPU-',
      '\n',
      ', ',
      ': ',
      '|   0  MIG 1g ',
      'CUDA Version: ',
      '0x',
      '12',
      '[N/A]',
    );
    const text = fc.array(fc.oneof(pieces, fc.string({ unit: 'binary' })), { maxLength: 40 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (any) => {
        const cpu = parseCpuInfo(any);
        expect(cpu?.sockets.reduce((sum, { threads }) => sum + threads, 0) ?? 0).toBe(cpu?.threads ?? 0);
        for (const line of parseGpuQuery(any, gpuQueryFields)) smiGpu(line);
        for (const { utilizationPercent = 0 } of parseUsage(any)) expect(utilizationPercent).toBeLessThanOrEqual(100);
        const results = [parseMemInfo(any), parseNvidiaInformation(any), parseNvidiaVersion(any), parseCudaVersion(any), parseGpuList(any)];
        const more = [
          parseMigProfiles(any),
          parseNvlinkStatus(any),
          parseLostGpus(any),
          unknownField(any),
          gpuInterface(any),
          withoutJunk(any),
        ];
        expect(() => JSON.stringify([...results, ...more])).not.toThrow();
      }),
    );
  });
});

describe('parseCpuInfo', () => {
  it('counts cores and threads by socket, in the order of the sockets', () => {
    const thread = (index: number, socket: number, core: number): string =>
      `processor: ${index}\nvendor_id: AuthenticAMD\ncpu family: 25\nmodel name: AMD   EPYC\nphysical id: ${socket}\ncore id: ${core}\ncpu cores: 2\n\n`;
    const text = [
      thread(0, 10, 0),
      thread(1, 10, 1),
      thread(2, 2, 0),
      thread(3, 2, 1),
      thread(4, 10, 0),
      thread(5, 10, 1),
      thread(6, 2, 0),
      thread(7, 2, 1),
    ];
    expect(parseCpuInfo(text.join(''))).toEqual({
      architecture: 'amd64',
      threads: 8,
      sockets: ['2', '10'].map((id) => ({ id, vendor: 'AuthenticAMD', model: 'AMD EPYC', cores: 2, threads: 4 })),
    });
  });

  it('keeps the numbers of an arm core that it does not know', () => {
    const text = 'processor: 0\nCPU implementer: 0x99\nCPU architecture: 8\nCPU part: 0x123\n';
    expect(parseCpuInfo(text)).toEqual({
      architecture: 'arm64',
      threads: 1,
      sockets: [{ id: '0', vendor: '0x99', model: 'part 0x123', cores: 1, threads: 1 }],
    });
  });

  it('finds nothing in an empty text', () => {
    expect(parseCpuInfo('')).toBeUndefined();
  });
});

describe('PCI', () => {
  it.each([
    ['00000000:00:06.0', '0000:00:06.0'],
    ['0000:1B:00.0', '0000:1b:00.0'],
    ['00010000:3B:00.7', '10000:3b:00.7'],
    ['1b:00.0', undefined],
    ['0000:00:06.8', undefined],
    ['', undefined],
  ])('reads the address %j as %j', (text, address) => {
    expect(pciAddress(text)).toBe(address);
  });

  it('finds the nearest device on a path', () => {
    expect(pciAddressInPath('../../devices/pci0000:00/0000:00:01.0/0000:03:00.1/virtio2/net/eth0')).toBe('0000:03:00.1');
    expect(pciAddressInPath('../../devices/virtual/net/lo')).toBeUndefined();
  });

  it('reads ids of so many digits and no others', () => {
    expect(hexId('0x10DE\n', 4)).toBe('10de');
    expect(hexId('0x12\n', 4)).toBe('0012');
    expect(hexId('0x030200', 4)).toBeUndefined();
    expect(hexId('10de', 4)).toBeUndefined();
  });

  it.each([
    ['an NVIDIA 3D controller', '10de', '030200', '0000:17:00.0', true],
    ['an AMD processing accelerator', '1002', '120000', '0000:05:00.0', true],
    ['a Gaudi accelerator', '1da3', '120000', '0000:05:00.0', true],
    ['a discrete card of Intel', '8086', '030000', '0000:03:00.0', true],
    ['graphics inside a processor of Intel', '8086', '030000', '0000:00:02.0', false],
    ['the console of a board controller', '1a03', '030000', '0000:03:00.0', false],
    ['the display of a hypervisor', '1af4', '038000', '0000:00:01.0', false],
    ['the sound of a graphics card', '10de', '040300', '0000:17:00.1', false],
  ])('judges %s', (_, vendorId, code, address, expected) => {
    expect(isAccelerator({ vendorId, class: code, address, productId: '0001' })).toBe(expected);
  });
});

describe('texts of firmware', () => {
  it.each([
    'To be filled by O.E.M.',
    'Not Specified',
    '0000000000',
    '0x00000000',
    'FFFFFFFF',
    '123456789',
    '0123456789',
    'Default string',
    '  ',
    'None',
    '\0\0',
    'xxxx',
  ])('takes %j for nothing', (text) => {
    expect(withoutJunk(text)).toBeUndefined();
  });

  it('keeps what says something, without padding', () => {
    expect(withoutJunk('  C821GE0123456 \n')).toBe('C821GE0123456');
    expect(withoutJunk('Example Arm Server\0')).toBe('Example Arm Server');
  });

  it('accepts system UUIDs that are one machine’s own', () => {
    expect(systemUuidOf('7A1B2C3D-0000-11EE-8000-3CECEF123456\n')).toBe('7a1b2c3d-0000-11ee-8000-3cecef123456');
    expect(systemUuidOf('03000200-0400-0500-0006-000700080009')).toBeUndefined();
    expect(systemUuidOf('ffffffff-ffff-ffff-ffff-ffffffffffff')).toBeUndefined();
    expect(systemUuidOf('03020100-0504-0706-0809-0A0B0C0D0E0F')).toBeUndefined();
    expect(systemUuidOf('Not Settable')).toBeUndefined();
  });

  it('reads a serial number out of its SCSI page', () => {
    expect(parseUnitSerial(Uint8Array.from([0, 0x80, 0, 4, ...Buffer.from('AB12rest')]))).toBe('AB12');
    expect(parseUnitSerial(Uint8Array.from([0, 0x83, 0, 4, ...Buffer.from('AB12')]))).toBeUndefined();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (page) => {
        expect(parseUnitSerial(page)?.length ?? 1).toBeGreaterThan(0);
      }),
    );
  });
});

describe('NVIDIA', () => {
  it.each([
    ['NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.90.07  Fri May 31 09:35:42 UTC 2024', '550.90.07'],
    ['NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  (nixbld@)', '580.159.04'],
    ['NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  570.86.15  Release Build', '570.86.15'],
    ['GCC version:  gcc version 15.3.0 (GCC)', undefined],
  ])('reads the version of the driver from %j', (text, version) => {
    expect(parseNvidiaVersion(text)).toBe(version);
  });

  it('does not take the question marks of an unused card for its UUID', () => {
    expect(parseNvidiaInformation('Model: Unknown\nGPU UUID: \t GPU-????????-????-????-????-????????????\nDevice Minor: x\n')).toEqual({
      isExcluded: false,
    });
  });

  it('reads the CUDA version of old and new headers, and none where there is none', () => {
    expect(parseCudaVersion('| NVIDIA-SMI 580.159.04   Driver Version: 580.159.04     CUDA Version: 13.0     |')).toBe('13.0');
    expect(parseCudaVersion('CUDA Version        : 13.0')).toBe('13.0');
    expect(parseCudaVersion('CUDA Version: N/A')).toBeUndefined();
  });

  it('reads MIG instances below their card', () => {
    const text = [
      'GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-11111111-aaaa-bbbb-cccc-000000000000)',
      '  MIG 3g.20gb     Device  0: (UUID: MIG-22222222-aaaa-bbbb-cccc-000000000000)',
      '  MIG 1g.5gb      Device  1: (UUID: MIG-33333333-aaaa-bbbb-cccc-000000000000)',
      'GPU 1: NVIDIA A100-SXM4-40GB (UUID: GPU-44444444-aaaa-bbbb-cccc-000000000000)',
      '  MIG 7g.40gb     Device  0: (UUID: MIG-GPU-44444444-aaaa-bbbb-cccc-000000000000/0/0)',
    ].join('\n');
    expect(parseGpuList(text).map(({ gpuUuid, profile }) => `${gpuUuid.slice(0, 12)} ${profile}`)).toEqual([
      'GPU-11111111 3g.20gb',
      'GPU-11111111 1g.5gb',
      'GPU-44444444 7g.40gb',
    ]);
  });

  it('counts only the links that are up', () => {
    const text = 'GPU 0: NVIDIA A100 (UUID: GPU-11111111-aaaa)\n\t Link 0: 25 GB/s\n\t Link 1: <inactive>\n\t Link 2: 25.781 GB/s\n';
    expect([...parseNvlinkStatus(text)]).toEqual([['GPU-11111111-aaaa', 2]]);
  });

  it.each([
    ['NVIDIA A100-SXM4-80GB', 'SXM4'],
    ['Tesla V100-SXM2-16GB', 'SXM2'],
    ['NVIDIA A100-PCIE-40GB', 'PCIe'],
    ['NVIDIA H100 PCIe', 'PCIe'],
    ['NVIDIA H100 NVL', 'PCIe'],
    ['NVIDIA H200 NVL', 'PCIe'],
    ['NVIDIA H100 80GB HBM3', 'SXM'],
    ['NVIDIA H200', 'SXM'],
    ['NVIDIA B200', 'SXM'],
    ['NVIDIA GeForce RTX 4090', undefined],
    [undefined, undefined],
  ])('tells from the name %j that the card is built as %j', (name, expected) => {
    expect(gpuInterface(name)).toBe(expected);
  });

  it('reads usage and leaves out what a card does not tell', () => {
    expect(parseUsage('GPU-b7935da5-41fc, 37, 1024, 32, 80.42\nGPU-c7935da5-41fc, [N/A], 5, [N/A], [N/A]\nnonsense\n')).toEqual([
      { uuid: 'GPU-b7935da5-41fc', utilizationPercent: 37, memoryUsedBytes: 2 ** 30, temperatureCelsius: 32, powerWatts: 80.42 },
      { uuid: 'GPU-c7935da5-41fc', memoryUsedBytes: 5 * 2 ** 20 },
    ]);
  });
});

describe('nicOf', () => {
  it('takes a speed of -1 for unknown and an address of zeros for no card', () => {
    expect(nicOf({ name: 'eth0', address: '02:FC:00:00:00:01\n', speed: '-1\n', state: 'unknown\n' })).toEqual({
      name: 'eth0',
      mac: '02:fc:00:00:00:01',
    });
    expect(nicOf({ name: 'eth0', address: '00:00:00:00:00:00\n', speed: '1000', state: 'up' })).toBeUndefined();
    expect(nicOf({ name: 'eth0', address: '02:fc:00:00:00:01', speed: '4294967295', state: 'down' })).toEqual({
      name: 'eth0',
      mac: '02:fc:00:00:00:01',
      isUp: false,
    });
  });
});
