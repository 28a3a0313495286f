import { discoverHardware, hardwareFingerprint, readUsage } from '@quartermaster/inventory/discovery';
import { FakeClock } from '@quartermaster/kernel';
import { buildHardware, type Hardware, SimulatedKernelLog, SimulatedMachine } from '@quartermaster/simulator';
import { afterEach, describe, expect, it } from 'vitest';

const gpuNode = {
  cpu: 'epyc-9654',
  sockets: 2,
  memoryGiB: 1536,
  gpus: [
    { vendor: 'nvidia', model: 'h100', count: 4 },
    { vendor: 'amd', model: 'mi100', count: 2 },
  ],
  disks: [
    { kind: 'nvme', sizeGB: 3840, count: 2 },
    { kind: 'hdd', sizeGB: 18_000, count: 1 },
  ],
  nics: [{ speedGbps: 100, count: 2 }],
} as const;

describe('discovery on a simulated node', () => {
  const hardware: Hardware = buildHardware(gpuNode, 'node-1', 7);
  const [nvidia, amd] = [hardware.gpus.filter(({ vendor }) => vendor === 'nvidia'), hardware.gpus.filter(({ vendor }) => vendor === 'amd')];
  const lost = new Set<string>();
  const held = new Set<string>();
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const kernelLog = new SimulatedKernelLog(clock);
  const machine = new SimulatedMachine({
    hostname: 'node-1',
    hardware,
    lostGpus: lost,
    isHeld: ({ uuid }) => held.has(uuid),
    now: () => 1_000_000,
    kernelLog,
  });
  const folders = { filesystemPaths: ['/opt/local-path-provisioner'], kubeletPath: '/var/lib/kubelet' };
  const discover = async () => await discoverHardware(machine, { agentVersion: '1', ...folders });
  afterEach(() => {
    lost.clear();
    held.clear();
  });

  it('finds everything that the node was built of', async () => {
    const facts = await discover();
    expect(facts.problems).toBeUndefined();
    const { serial, systemUuid, manufacturer, product } = hardware;
    expect(facts.machine).toEqual({ hostname: 'node-1', serial, systemUuid, manufacturer, product, kernel: '6.12.0-simulated' });
    expect(facts.cpu).toMatchObject({
      architecture: 'amd64',
      threads: 384,
      sockets: [
        { cores: 96, threads: 192 },
        { cores: 96, threads: 192 },
      ],
    });
    expect(facts.memory?.totalBytes).toBe(1536 * 2 ** 30);
    expect(facts.memory?.modules).toEqual(
      hardware.memory.map(({ slot, sizeGiB, speedMtps, manufacturer: maker }) => ({
        slot,
        type: 'DDR5',
        sizeBytes: sizeGiB * 2 ** 30,
        speedMtps,
        manufacturer: maker,
      })),
    );
    expect(facts.disks?.map(({ name, kind, sizeBytes, serial: number }) => ({ name, kind, sizeBytes, serial: number }))).toEqual(
      hardware.disks.map(({ name, kind, sizeBytes, serial: number }) => ({ name, kind, sizeBytes, serial: number })),
    );
    expect(facts.nics).toEqual(
      hardware.nics.map((nic, index) => ({ ...nic, isUp: true, driver: 'mlx5_core', rdmaDevice: `mlx5_${index}` })),
    );
    expect(facts.filesystems).toEqual([
      { path: '/opt/local-path-provisioner', sizeBytes: 3840e9, device: '259:1', usedBytes: 0, folderBytes: 0 },
      // One hundredth of the disk is 36 GiB, rounded up: the step in which its use is told.
      { path: '/var/lib/kubelet', sizeBytes: 3840e9, device: '259:0', usedBytes: 36 * 2 ** 30, holdsEphemeral: true },
    ]);
  });

  it('finds every GPU healthy, with its ids and its driver', async () => {
    const { gpus } = await discover();
    expect(gpus?.map(({ pciAddress, vendorId, productId, health }) => [pciAddress, vendorId, productId, health.state])).toEqual(
      hardware.gpus.map(({ pciAddress, vendorId, deviceId }) => [pciAddress, vendorId, deviceId, 'healthy']),
    );
    expect(gpus?.slice(0, 4)).toEqual(
      nvidia.map((gpu) => ({
        pciAddress: gpu.pciAddress,
        vendorId: '10de',
        productId: '2330',
        uuid: gpu.uuid,
        name: 'NVIDIA H100 80GB HBM3',
        memoryBytes: 81_559 * 2 ** 20,
        interface: 'SXM',
        driver: 'nvidia',
        driverVersion: '580.159.04',
        cudaVersion: '13.0',
        computeCapability: '9.0',
        numaNode: gpu.minor < 3 ? 0 : 1,
        minor: gpu.minor,
        mig: { enabled: false, instances: [], profiles: ['1g.10gb', '2g.20gb', '3g.40gb', '7g.80gb'] },
        nvlinks: 18,
        nvlinkGroup: 0,
        health: { state: 'healthy' },
      })),
    );
    expect(gpus?.slice(4)).toMatchObject(
      amd.map(() => ({ name: 'AMD Instinct MI100', driver: 'amdgpu', driverVersion: '6.12.12', memoryBytes: 32 * 2 ** 30 })),
    );
  });

  it('finds at the next scan that a GPU fell off the bus, and that it came back', async () => {
    const before = await discover();
    const fingerprint = await hardwareFingerprint(machine);
    const gone = [nvidia[1]?.uuid ?? '', amd[0]?.uuid ?? ''];
    for (const uuid of gone) lost.add(uuid);
    expect(await hardwareFingerprint(machine)).not.toBe(fingerprint);
    const { gpus } = await discover();
    expect(gpus?.map(({ health }) => health.state)).toEqual(['healthy', 'unhealthy', 'healthy', 'healthy', 'unhealthy', 'healthy']);
    expect(gpus?.[1]).toMatchObject({ uuid: gone[0], health: { reason: expect.stringContaining('GPU is lost') } });
    expect(gpus?.map(({ uuid }) => uuid)).toEqual(before.gpus?.map(({ uuid }) => uuid));
    lost.clear();
    expect((await discover()).gpus).toEqual(before.gpus);
  });

  it('finds a GPU ill of which the driver reported a fatal error, until it was reset', async () => {
    const fingerprint = await hardwareFingerprint(machine);
    const address = nvidia[2]?.pciAddress ?? '';
    await clock.advance(90_000);
    kernelLog.xid(address, 31);
    expect(await hardwareFingerprint(machine)).toBe(fingerprint);
    kernelLog.xid(address, 95);
    expect(await hardwareFingerprint(machine)).not.toBe(fingerprint);
    const { gpus } = await discover();
    expect(gpus?.map(({ health }) => health.state)).toEqual(['healthy', 'healthy', 'unhealthy', 'healthy', 'healthy', 'healthy']);
    expect(gpus?.[2]?.health).toMatchObject({ code: 'XidError', since: '2026-01-01T00:01:30.000Z' });
    const ill = await hardwareFingerprint(machine);
    kernelLog.fit(address);
    expect((await discover()).gpus?.every(({ health }) => health.state === 'healthy')).toBe(true);
    expect(await hardwareFingerprint(machine)).not.toBe(ill);
  });

  it('tells how busy the GPUs are: those that somebody holds', async () => {
    for (const gpu of [nvidia[2], amd[1]]) held.add(gpu?.uuid ?? '');
    const { gpus = [] } = await discover();
    const usage = await readUsage(machine, gpus);
    expect(usage.map(({ uuid }) => uuid)).toEqual(gpus.map(({ uuid }) => uuid));
    const busy = usage.map(({ utilizationPercent = -1, memoryUsedBytes = -1 }) => utilizationPercent > 0 && memoryUsedBytes > 0);
    expect(busy).toEqual([false, false, true, false, false, true]);
    expect(usage[0]).toMatchObject({ utilizationPercent: 0, memoryUsedBytes: 0, temperatureCelsius: 31, powerWatts: 70 });
    expect(await readUsage(machine, gpus)).toEqual(usage);
  });
});
