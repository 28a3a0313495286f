import { discoverHardware } from '@quartermaster/inventory/discovery';
import { buildHardware, type Hardware, hardwareFilesystem } from '@quartermaster/simulator';
import { describe, expect, it } from 'vitest';

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
  const discover = async (lost?: ReadonlySet<string>) =>
    await discoverHardware(hardwareFilesystem('node-1', hardware, lost), { agentVersion: '1' });

  it('finds everything that the node was built of', async () => {
    const facts = await discover();
    expect(facts.problems).toBeUndefined();
    const { serial, systemUuid, manufacturer, product } = hardware;
    expect(facts.machine).toEqual({ hostname: 'node-1', serial, systemUuid, manufacturer, product });
    expect(facts.cpu).toMatchObject({
      architecture: 'amd64',
      threads: 384,
      sockets: [
        { cores: 96, threads: 192 },
        { cores: 96, threads: 192 },
      ],
    });
    expect(facts.memory?.totalBytes).toBe(1536 * 2 ** 30);
    expect(facts.memory?.modules?.map(({ slot }) => slot)).toEqual(hardware.memory.map(({ slot }) => slot));
    expect(facts.disks?.map(({ name, kind, sizeBytes, serial: number }) => ({ name, kind, sizeBytes, serial: number }))).toEqual(
      hardware.disks.map(({ name, kind, sizeBytes, serial: number }) => ({ name, kind, sizeBytes, serial: number })),
    );
    expect(facts.nics?.map(({ name, mac, speedMbps, pciAddress }) => ({ name, mac, speedMbps, pciAddress }))).toEqual(
      hardware.nics.map(({ name, mac, speedMbps, pciAddress }) => ({ name, mac, speedMbps, pciAddress })),
    );
  });

  it('finds every GPU healthy, with its ids and its driver', async () => {
    const { gpus } = await discover();
    expect(gpus?.map(({ pciAddress, vendorId, productId, health }) => [pciAddress, vendorId, productId, health.state])).toEqual(
      hardware.gpus.map(({ pciAddress, vendorId, deviceId }) => [pciAddress, vendorId, deviceId, 'healthy']),
    );
    const nvidia = hardware.gpus.filter(({ vendor }) => vendor === 'nvidia');
    expect(gpus?.filter(({ vendorId }) => vendorId === '10de').map(({ uuid, name, minor, driver }) => [uuid, name, minor, driver])).toEqual(
      nvidia.map(({ uuid, productName, minor }) => [uuid, productName, minor, 'nvidia']),
    );
  });

  it('no longer finds a GPU that fell off the bus', async () => {
    const lost = hardware.gpus[1]?.uuid ?? '';
    const { gpus } = await discover(new Set([lost]));
    expect(gpus).toHaveLength(5);
    expect(gpus?.map(({ uuid }) => uuid)).not.toContain(lost);
  });
});
