import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildHardware, logicalCpus, memoryBytes } from './hardware.ts';
import { hardwareFilesystem } from './hardware-filesystem.ts';

const spec = {
  cpu: 'epyc-7763',
  sockets: 2,
  memoryGiB: 512,
  gpus: [{ model: 'a100', memoryGiB: 40, interface: 'PCIe', count: 2 }],
  disks: [
    { kind: 'nvme' as const, sizeGB: 3840, count: 2 },
    { kind: 'hdd' as const, sizeGB: 16_000, count: 1 },
  ],
  nics: [{ speedGbps: 100, count: 2 }],
};

describe('buildHardware', () => {
  it('gives the same hardware for the same seed and name, and other serial numbers for another', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 }), fc.string({ minLength: 1 }), (seed, name) => {
        const built = buildHardware(spec, name, seed);
        expect(buildHardware(spec, name, seed)).toEqual(built);
        expect(buildHardware(spec, `${name}x`, seed).serial).not.toBe(built.serial);
        expect(memoryBytes(built)).toBe(512 * 2 ** 30);
        expect(new Set([built.systemUuid, ...built.gpus.map(({ uuid }) => uuid)]).size).toBe(3);
      }),
    );
  });

  it('tells models apart by interface and memory', () => {
    expect(buildHardware(spec, 'n', 1).gpus.map(({ deviceId }) => deviceId)).toEqual(['20f1', '20f1']);
  });

  it('refuses what is not in the catalog, with what is', () => {
    expect(() => buildHardware({ ...spec, cpu: 'z80' }, 'n', 1)).toThrow(/CPU model "z80" is not in the catalog: use one of epyc-9654/);
    expect(() => buildHardware({ ...spec, gpus: [{ model: 'voodoo', count: 1 }] }, 'n', 1)).toThrow(
      /GPU model "voodoo" .* use one of h200/,
    );
    expect(() => buildHardware({ ...spec, gpus: [{ model: 'h100', memoryGiB: 1, count: 1 }] }, 'n', 1)).toThrow(
      /comes as SXM5 with 80 GiB/,
    );
  });
});

describe('hardwareFilesystem', () => {
  const hardware = buildHardware(spec, 'node-1', 7);
  const filesystem = hardwareFilesystem('node-1', hardware);

  it('shows every processor and all memory', async () => {
    const cpuInfo = await filesystem.readFile('/proc/cpuinfo');
    expect(cpuInfo.match(/^processor/gm)).toHaveLength(logicalCpus(hardware));
    expect(new Set(cpuInfo.match(/^physical id.*$/gm))).toHaveLength(2);
    expect(await filesystem.readFile('/proc/meminfo')).toMatch(new RegExp(`^MemTotal: +${512 * 2 ** 20} kB$`, 'm'));
  });

  it('shows GPUs on the bus, through links as Linux does, and in the driver', async () => {
    const [gpu] = hardware.gpus;
    const address = gpu?.pciAddress ?? '';
    expect(await filesystem.stat(`/sys/bus/pci/devices/${address}`)).toMatchObject({ kind: 'link' });
    expect(await filesystem.readFile(`/sys/bus/pci/devices/${address}/device`)).toBe('0x20f1\n');
    expect(await filesystem.readFile(`/sys/class/drm/card0/device/vendor`)).toBe('0x10de\n');
    expect(await filesystem.readFile(`/proc/driver/nvidia/gpus/${address}/information`)).toContain(gpu?.uuid);
    expect(await filesystem.readDirectory('/proc/driver/nvidia/gpus')).toHaveLength(2);
  });

  it('shows disks by kind and size, and network cards with their speed', async () => {
    expect(await filesystem.readDirectory('/sys/block')).toEqual(['nvme0n1', 'nvme1n1', 'sda']);
    expect(await filesystem.readFile('/sys/block/sda/queue/rotational')).toBe('1\n');
    expect(Number(await filesystem.readFile('/sys/block/nvme0n1/size')) * 512).toBe(3840e9);
    expect(await filesystem.readFile('/sys/class/net/eth1/speed')).toBe('100000\n');
  });

  it('shows the driver of each device, through the links of the bus', async () => {
    const [gpu] = hardware.gpus;
    expect(await filesystem.readLink(`/sys/bus/pci/devices/${gpu?.pciAddress}/driver`)).toBe('../../../bus/pci/drivers/nvidia');
    expect(await filesystem.readLink('/sys/class/net/eth0/device/driver')).toMatch(/mlx5_core$/);
    expect(await filesystem.readDirectory('/sys/bus/pci/drivers/nvidia')).toEqual(hardware.gpus.map(({ pciAddress }) => pciAddress));
    expect(await filesystem.readFile(`/sys/bus/pci/drivers/nvidia/${gpu?.pciAddress}/vendor`)).toBe('0x10de\n');
    await expect(filesystem.readLink('/sys/class/net/eth0/address')).rejects.toThrow('is not a link');
  });

  it('shows RDMA devices of fast network cards only', async () => {
    expect(await filesystem.readDirectory('/sys/class/infiniband')).toEqual(['mlx5_0', 'mlx5_1']);
    const slow = hardwareFilesystem('n', buildHardware({ ...spec, nics: [{ speedGbps: 25, count: 1 }] }, 'n', 1));
    await expect(slow.readDirectory('/sys/class/infiniband')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('takes the driver off a GPU that was lost, and leaves the rest', async () => {
    const [gpu, other] = hardware.gpus;
    const after = hardwareFilesystem('node-1', hardware, { lostGpus: new Set([gpu?.uuid ?? '']) });
    expect(await after.readDirectory('/sys/bus/pci/drivers/nvidia')).toEqual([other?.pciAddress]);
    await expect(after.readLink(`/sys/bus/pci/devices/${gpu?.pciAddress}/driver`)).rejects.toThrow('is not a link');
    expect(await after.readFile(`/sys/bus/pci/devices/${gpu?.pciAddress}/vendor`)).toBe('0x10de\n');
  });

  it('names the path that is missing', async () => {
    await expect(filesystem.readFile('/nowhere')).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('/nowhere'),
    });
    await expect(filesystem.readDirectory('/proc/cpuinfo')).rejects.toMatchObject({ code: 'not_found' });
  });
});
