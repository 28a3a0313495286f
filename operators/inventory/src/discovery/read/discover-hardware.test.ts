import { StatusError } from '@quartermaster/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { discoveryOptions } from '../../../test/machines/discovery-options.ts';
import { h100Server, h100Uuid } from '../../../test/machines/h100-server.ts';
import { h200Virtual } from '../../../test/machines/h200-virtual.ts';
import { type Entry, MemoryMachine } from '../../../test/machines/memory-machine.ts';
import { armBoard, bareVirtual, mi300xServer } from '../../../test/machines/other-machines.ts';
import { discoverHardware } from './discover-hardware.ts';

const options = discoveryOptions();
const gib = 2 ** 30;

describe('discoverHardware on whole machines', () => {
  it('reads the H200 machine as it is', async () => {
    const facts = await discoverHardware(h200Virtual(), { ...options, filesystemPaths: ['/opt/local-path-provisioner'] });
    expect(facts).toEqual({
      observedAt: '2026-01-01T00:00:00.000Z',
      agentVersion: '1.2.3',
      machine: { hostname: 'vm', kernel: '6.18.44' },
      cpu: {
        architecture: 'amd64',
        threads: 16,
        sockets: [{ id: '0', vendor: 'GenuineIntel', model: 'Intel(R) Xeon(R) Processor', cores: 16, threads: 16 }],
      },
      memory: { totalBytes: 131_980_916 * 1024 },
      gpus: [
        {
          pciAddress: '0000:00:06.0',
          vendorId: '10de',
          productId: '2335',
          uuid: 'GPU-b7935da5-41fc-84c1-2853-ba90559aaeb8',
          name: 'NVIDIA H200',
          memoryBytes: 143_771 * 2 ** 20,
          interface: 'SXM',
          driver: 'nvidia',
          driverVersion: '580.159.04',
          cudaVersion: '13.0',
          computeCapability: '9.0',
          minor: 0,
          mig: { enabled: false, instances: [], profiles: ['1g.18gb', '3g.71gb'] },
          health: { state: 'healthy' },
        },
      ],
      disks: [{ name: 'vda', kind: 'virtual', sizeBytes: 256 * gib, serial: 'overlayblk' }],
      nics: [{ name: 'eth0', mac: '02:fc:00:00:00:01', pciAddress: '0000:00:03.0', driver: 'virtio-pci', isUp: true }],
      filesystems: [{ path: '/opt/local-path-provisioner', sizeBytes: 270_553_174_016, device: '254:0' }],
    });
  });

  it('finds a card ill of which the kernel reported a fatal error, since then, and no other', async () => {
    const machine = h100Server();
    machine.files.set('/dev/kmsg', "4,900,5250000,-;NVRM: Xid (PCI:0000:43:00): 79, pid='<unknown>', GPU has fallen off the bus.\n");
    machine.files.set('/proc/stat', 'cpu 1 2 3\nbtime 1767225600\n');
    const { gpus = [], problems } = await discoverHardware(machine, options);
    expect(problems).toBeUndefined();
    const ill = gpus.filter(({ health }) => health.state !== 'healthy');
    expect(ill).toMatchObject([
      { pciAddress: '0000:43:00.0', health: { state: 'unhealthy', code: 'XidError', since: '2026-01-01T00:00:05.250Z' } },
    ]);
    expect(ill[0]?.health.reason).toContain('Xid 79 (fallen off the bus)');
    machine.files.set('/dev/kmsg', new StatusError('permission_denied', '/dev/kmsg may not be read'));
    const without = await discoverHardware(machine, options);
    expect(without.gpus?.every(({ health }) => health.state === 'healthy')).toBe(true);
    expect(without.problems).toBeUndefined();
  });

  it('takes the first serial number that is one: of the product, the chassis or the board', async () => {
    const machine = h100Server();
    machine.files.set('/sys/class/dmi/id/product_serial', 'AAAAAAA\n');
    machine.files.set('/sys/class/dmi/id/chassis_serial', 'Unspecified\n');
    machine.files.set('/sys/class/dmi/id/board_serial', 'B0ARD17\n');
    expect((await discoverHardware(machine, options)).machine.serial).toBe('B0ARD17');
  });

  it('reads a server with eight H100 whose driver does not know every question', async () => {
    const facts = await discoverHardware(h100Server(), options);
    expect(facts.problems).toBeUndefined();
    expect(facts.machine).toEqual({
      hostname: 'hgx-07',
      manufacturer: 'Supermicro',
      product: 'SYS-821GE-TNHR',
      serial: 'C821GE0123456',
      systemUuid: '7a1b2c3d-0000-11ee-8000-3cecef123456',
    });
    expect(facts.cpu?.sockets.map(({ cores, threads }) => [cores, threads])).toEqual([
      [56, 112],
      [56, 112],
    ]);
    expect(facts.memory?.modules).toHaveLength(32);
    expect(facts.memory?.modules?.[0]).toEqual({
      slot: 'P1-DIMMA1',
      type: 'DDR5',
      sizeBytes: 64 * gib,
      speedMtps: 4800,
      manufacturer: 'Samsung',
    });
    expect(
      facts.gpus?.map(({ uuid, nvlinks, nvlinkGroup, memoryBytes, minor, numaNode }) => ({
        uuid,
        nvlinks,
        nvlinkGroup,
        memoryBytes,
        minor,
        numaNode,
      })),
    ).toEqual(
      Array.from({ length: 8 }, (_, index) => ({
        uuid: h100Uuid(index),
        nvlinks: 18,
        nvlinkGroup: 0,
        memoryBytes: 81_559 * 2 ** 20,
        minor: index,
        numaNode: index < 4 ? 0 : 1,
      })),
    );
    expect(new Set(facts.gpus?.map(({ health, cudaVersion, interface: kind }) => `${health.state} ${cudaVersion} ${kind}`))).toEqual(
      new Set(['healthy 12.4 SXM']),
    );
  });

  it('lists the disks of that server without what is made of them or comes and goes', async () => {
    const { disks } = await discoverHardware(h100Server(), options);
    expect(disks?.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      ...Array.from({ length: 8 }, (_, index) => `nvme${index}n1 nvme`),
      'sda ssd',
      'sdb hdd',
    ]);
    expect(disks?.find(({ name }) => name === 'sda')).toMatchObject({ model: 'SAMSUNG MZ7L3960', serial: 'S662NN0T123456' });
    expect(disks?.[0]).toMatchObject({ sizeBytes: 3_840_755_982_336, model: 'SAMSUNG MZQL23T8HCLS-00A07', serial: 'S64HNE0R100000' });
  });

  it('lists network cards with their own address and RDMA device, and nothing virtual', async () => {
    const { nics } = await discoverHardware(h100Server(), options);
    expect(nics).toEqual([
      {
        name: 'enp43s0f0',
        mac: '3c:ec:ef:12:34:56',
        pciAddress: '0000:2b:00.0',
        driver: 'mlx5_core',
        speedMbps: 100_000,
        isUp: true,
        rdmaDevice: 'mlx5_1',
      },
      {
        name: 'ibp24s0',
        mac: '00:00:10:29:fe:80:00:00:00:00:00:00:a0:88:c2:03:00:12:34:56',
        pciAddress: '0000:18:00.0',
        driver: 'mlx5_core',
        speedMbps: 400_000,
        isUp: true,
        rdmaDevice: 'mlx5_0',
      },
    ]);
  });

  it('reads AMD accelerators from sysfs alone and finds the one with uncorrected errors', async () => {
    const { gpus, memory, problems } = await discoverHardware(mi300xServer(), options);
    expect(problems).toEqual([
      '/sys/block could not be read: the disks are unknown',
      '/sys/class/net could not be read: the network cards are unknown',
    ]);
    expect(gpus).toHaveLength(8);
    expect(gpus?.[0]).toEqual({
      pciAddress: '0000:05:00.0',
      vendorId: '1002',
      productId: '74a1',
      uuid: 'GPU-a1b2c3d4e5f60000',
      name: 'AMD Instinct MI300X OAM',
      memoryBytes: 206_141_652_992,
      interface: 'OAM',
      driver: 'amdgpu',
      driverVersion: '6.7.0',
      numaNode: 0,
      health: { state: 'healthy' },
    });
    expect(gpus?.filter(({ health }) => health.state !== 'healthy').map(({ pciAddress, health }) => [pciAddress, health])).toEqual([
      ['0000:65:00.0', { state: 'unhealthy', reason: '2 uncorrected errors in umc' }],
    ]);
    expect(memory?.modules).toEqual([{ slot: 'CPU_SrcID#0_MC#0_Chan#0_DIMM#0', type: 'DDR5', sizeBytes: 96 * gib }]);
  });

  it('reads an arm64 board that has neither firmware tables nor a PCI bus', async () => {
    const facts = await discoverHardware(armBoard(), options);
    expect(facts.machine).toEqual({ product: 'Example Arm Server', serial: 'ARM0042' });
    expect(facts.cpu).toEqual({
      architecture: 'arm64',
      threads: 8,
      sockets: ['0', '1'].map((id) => ({ id, vendor: 'ARM', model: 'Neoverse-N1', cores: 4, threads: 4 })),
    });
    expect(facts.gpus).toEqual([]);
    expect(facts.disks?.map(({ name }) => name)).toEqual(['mmcblk0', 'nvme0n1']);
  });

  it('finds no GPU in a virtual machine whose display is the hypervisor’s', async () => {
    const facts = await discoverHardware(bareVirtual(), options);
    expect(facts.gpus).toEqual([]);
    expect(facts.machine).toEqual({
      hostname: 'worker-3',
      manufacturer: 'QEMU',
      product: 'Standard PC (Q35 + ICH9, 2009)',
      systemUuid: '9d2c5b1e-3f57-4d1a-8a2f-6f1f0f7f2d11',
    });
    expect(facts.disks).toEqual([{ name: 'sda', kind: 'virtual', sizeBytes: 40 * gib, model: 'QEMU HARDDISK' }]);
    expect(facts.cpu?.sockets).toHaveLength(4);
  });
});

describe('discoverHardware on broken machines', () => {
  const trees = [h200Virtual, h100Server, mi300xServer, armBoard, bareVirtual];
  const refusal = new StatusError('permission_denied', 'permission denied reading a file: run as root');

  const damage = fc.oneof(
    fc.constant<Entry>(''),
    fc.constant<Entry>(refusal),
    fc.constant<Entry>({ link: '/nowhere' }),
    fc.constant<Entry>({ link: '.' }),
    fc.constant<Entry>('9'.repeat(100_000)),
    fc.uint8Array({ maxLength: 300 }).map((bytes): Entry => bytes),
    fc.string({ unit: 'binary', maxLength: 200 }).map((text): Entry => text),
  );

  it('never throws and keeps its promises whatever is missing, truncated, binary or huge', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(trees.length - 1),
        fc.array(fc.tuple(fc.nat(100_000), fc.option(damage), fc.nat(60)), { minLength: 1, maxLength: 60 }),
        async (which, faults) => {
          const machine = (trees[which] ?? h200Virtual)();
          const paths = [...machine.files.keys()];
          for (const [at, entry, cut] of faults) {
            const path = paths[at % paths.length] ?? '';
            const old = machine.files.get(path);
            if (entry !== null) machine.files.set(path, entry);
            else if (typeof old === 'string' || old instanceof Uint8Array) machine.files.set(path, old.slice(0, cut));
            else machine.files.delete(path);
          }
          const facts = await discoverHardware(machine, options);
          const again = await discoverHardware(machine, options);
          expect(again).toEqual(facts);
          expect(JSON.parse(JSON.stringify(facts))).toEqual(facts);
          expect(JSON.stringify(facts).length).toBeLessThan(200_000);
          for (const gpu of facts.gpus ?? []) expect(gpu).toMatchObject({ vendorId: expect.stringMatching(/^[0-9a-f]{4}$/) });
          for (const disk of facts.disks ?? []) expect(Number.isSafeInteger(disk.sizeBytes) && disk.sizeBytes > 0).toBe(true);
        },
      ),
      { numRuns: 100 },
    );
  }, 60_000);

  it('survives a tool that prints nonsense', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 500 }), fc.nat(255), async (stdout, status) => {
        const machine = h200Virtual();
        for (const call of machine.tools.keys()) machine.tools.set(call, { status, stdout, stderr: stdout });
        const { gpus } = await discoverHardware(machine, options);
        expect(gpus?.[0]?.uuid).toBe('GPU-b7935da5-41fc-84c1-2853-ba90559aaeb8');
      }),
    );
  }, 60_000);

  it('tells of every part that could not be read on a machine without anything', async () => {
    const facts = await discoverHardware(new MemoryMachine({ files: { '/etc/empty': '' } }), options);
    expect(facts).toEqual({
      observedAt: '2026-01-01T00:00:00.000Z',
      agentVersion: '1.2.3',
      machine: {},
      problems: [
        '/proc/cpuinfo could not be read: the processors are unknown',
        '/proc/meminfo does not say MemTotal: the memory is unknown',
        '/sys/block could not be read: the disks are unknown',
        '/sys/bus/pci/devices could not be read: the GPUs are unknown',
        '/sys/class/net could not be read: the network cards are unknown',
      ],
    });
  });

  it('stops at once when it is told to', async () => {
    const signal = AbortSignal.abort(new Error('no longer wanted'));
    await expect(discoverHardware(h200Virtual(), { ...options, signal })).rejects.toThrow('no longer wanted');
  });
});
