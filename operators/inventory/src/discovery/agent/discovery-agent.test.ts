import type { DeviceHolder } from '@quartermaster/api/node-hardware';
import { StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { MemoryHardwareStore } from '../../../test/memory-hardware-store.ts';
import { startTestAgent as start } from '../../../test/start-test-agent.ts';

const minute = 60_000;

const holder = (pod: string): DeviceHolder => ({
  resource: 'nvidia.com/gpu',
  deviceId: 'GPU-1',
  namespace: 'lease',
  pod,
  container: 'main',
});

describe('DiscoveryAgent', () => {
  it('writes its node’s hardware once and not again while nothing changes', async () => {
    const { agent, clock, server } = await start();
    expect(server.objects.get('node-a')?.spec.gpus?.[0]?.name).toBe('NVIDIA H200');
    await clock.advance(30 * minute);
    expect(agent.status.scans).toBeGreaterThan(10);
    expect(server.writes).toEqual(['node-a/spec']);
  });

  it('writes nothing after a restart on the same machine', async () => {
    const first = await start();
    await first.stop();
    const { server, clock, agent } = await start({ server: first.server });
    await clock.advance(10 * minute);
    expect(agent.status.writes).toBe(0);
    expect(agent.status.factsError).toBeUndefined();
    expect(server.writes).toEqual(['node-a/spec']);
  });

  it('notices an added or removed device within the poll period', async () => {
    const { clock, server, machine } = await start();
    machine.files.set('/sys/block/nvme0n1/size', '7501476528\n');
    await clock.advance(5000);
    expect(server.objects.get('node-a')?.spec.disks?.map(({ name }) => name)).toEqual(['nvme0n1', 'vda']);
    for (const path of [...machine.files.keys()]) if (path.includes('0000:00:06.0')) machine.files.delete(path);
    await clock.advance(5000);
    expect(server.objects.get('node-a')?.spec.gpus).toEqual([]);
  });

  it('finds with the slow timer what no device came or went for', async () => {
    const { clock, server, machine } = await start();
    const query = [...machine.tools.keys()].find((call) => call.includes('pci.bus_id')) ?? '';
    machine.tools.set(query, String(machine.tools.get(query)).replace('Disabled, 0,', 'Disabled, 4,'));
    await clock.advance(2 * minute + 5000);
    expect(server.objects.get('node-a')?.spec.gpus?.[0]?.health).toEqual({
      state: 'unhealthy',
      reason: '4 uncorrected ECC errors since the driver was loaded',
    });
  });

  it('does not look at the ends of pods that come and go', async () => {
    const { agent, clock, machine } = await start();
    const { scans } = agent.status;
    machine.files.set('/sys/class/net/veth12345/address', '02:00:00:00:00:01\n');
    await clock.advance(10_000);
    expect(agent.status.scans).toBe(scans);
  });

  it('keeps what a hanging tool told before, also across a restart, and says that the health is unknown', async () => {
    const first = await start();
    await first.stop();
    first.machine.tools.set('nvidia-smi', new StatusError('unavailable', 'nvidia-smi did not finish within 30000 ms'));
    const { server } = await start({ server: first.server, machine: first.machine });
    expect(server.objects.get('node-a')?.spec).toMatchObject({
      gpus: [{ memoryBytes: 143_771 * 2 ** 20, cudaVersion: '13.0', health: { state: 'unknown', reason: 'nvidia-smi did not answer' } }],
      problems: ['nvidia-smi did not finish within 30000 ms'],
    });
  });

  it('goes on scanning while the server is away and writes when it is back', async () => {
    const server = new MemoryHardwareStore();
    server.isAway = true;
    const { agent, clock, machine } = await start({ server });
    await clock.advance(10 * minute);
    expect(agent.status.scans).toBeGreaterThan(1);
    expect(agent.status).toMatchObject({ writes: 0, factsError: 'the API server is away' });
    machine.files.set('/sys/block/sda/size', '1875385008\n');
    server.isAway = false;
    await clock.advance(2 * minute);
    expect(server.objects.get('node-a')?.spec.disks?.map(({ name }) => name)).toEqual(['sda', 'vda']);
    expect(agent.status.factsError).toBeUndefined();
  });

  it('does not run the tool again for every try to reach the server', async () => {
    const server = new MemoryHardwareStore();
    server.isAway = true;
    const { clock, machine } = await start({ server });
    const calls = machine.toolCalls.length;
    await clock.advance(30_000);
    expect(machine.toolCalls.length).toBe(calls);
  });

  it('does not write for ever to a server that drops a field', async () => {
    const server = new MemoryHardwareStore();
    server.unknownField = 'nics';
    const { clock } = await start({ server });
    await clock.advance(20 * minute);
    expect(server.writes).toEqual(['node-a/spec']);
  });

  it('writes its object again after somebody removed or changed it', async () => {
    const { clock, server } = await start();
    server.objects.delete('node-a');
    await clock.advance(3 * minute);
    expect(server.objects.get('node-a')?.spec.gpus).toHaveLength(1);
    const object = server.objects.get('node-a');
    if (object !== undefined) server.objects.set('node-a', { ...object, spec: { ...object.spec, gpus: [] } });
    await clock.advance(3 * minute);
    expect(server.objects.get('node-a')?.spec.gpus).toHaveLength(1);
  });

  it('writes who holds the devices as status, only when that changed', async () => {
    let devices = [holder('web-0')];
    const { clock, server } = await start({ holders: { list: async () => devices } });
    await clock.advance(2 * minute);
    expect(server.objects.get('node-a')?.status).toEqual({ devices: [holder('web-0')] });
    expect(server.writes).toEqual(['node-a/spec', 'node-a/status']);
    devices = [];
    await clock.advance(10_000);
    expect(server.objects.get('node-a')?.status).toEqual({ devices: [] });
  });

  it('keeps the holders over a restart of the kubelet and takes them back when it stays away', async () => {
    let isAway = false;
    const list = async (): Promise<readonly DeviceHolder[]> => {
      if (isAway) throw new StatusError('unavailable', 'the kubelet does not answer');
      return [holder('web-0')];
    };
    const { agent, clock, server } = await start({ holders: { list } });
    await clock.advance(10_000);
    isAway = true;
    await clock.advance(minute);
    expect(server.objects.get('node-a')?.status).toEqual({ devices: [holder('web-0')] });
    expect(agent.status.holdersError).toBe('the kubelet does not answer');
    await clock.advance(3 * minute);
    expect(server.objects.get('node-a')?.status).toEqual({});
  });

  it('names the certificate and the port that it serves with beside the holders, another one soon, and again in an object that was made anew', async () => {
    let fingerprint = 'AA';
    const holders = { list: async () => [holder('web-0')] };
    const { clock, server } = await start({ holders, fingerprint: () => fingerprint, port: () => 9444 });
    await clock.advance(10_000);
    expect(server.objects.get('node-a')?.status).toEqual({ devices: [holder('web-0')], certificateFingerprint: 'AA', agentPort: 9444 });
    await clock.advance(30 * minute);
    expect(server.writes).toEqual(['node-a/spec', 'node-a/status', 'node-a/status']);
    fingerprint = 'BB';
    await clock.advance(5000);
    expect(server.objects.get('node-a')?.status).toEqual({ devices: [holder('web-0')], certificateFingerprint: 'BB', agentPort: 9444 });
    server.objects.delete('node-a');
    await clock.advance(3 * minute);
    expect(server.objects.get('node-a')?.status).toEqual({ devices: [holder('web-0')], certificateFingerprint: 'BB', agentPort: 9444 });
  });

  it('names its certificate while the kubelet is away, and says when the definition has no place for it', async () => {
    const list = () => Promise.reject(new StatusError('unavailable', 'the kubelet does not answer'));
    const server = new MemoryHardwareStore();
    const { agent, clock } = await start({ server, holders: { list }, fingerprint: () => 'AA' });
    await clock.advance(10 * minute);
    expect(server.objects.get('node-a')?.status).toEqual({ certificateFingerprint: 'AA' });
    expect(agent.status).toMatchObject({ certificateError: undefined, holdersError: 'the kubelet does not answer' });
    for (const field of ['certificateFingerprint', 'agentPort']) {
      const old = new MemoryHardwareStore();
      old.unknownStatusField = field;
      const second = await start({ server: old, fingerprint: () => 'AA', port: () => 9444 });
      await second.clock.advance(10_000);
      expect(second.agent.status.certificateError).toContain(`no field ${field} in this cluster: apply its definition of this release`);
    }
  });

  it('tells how busy the GPUs are, and asks the tool once for many who ask together', async () => {
    const { agent, clock, machine } = await start();
    const calls = machine.toolCalls.length;
    const [usage] = await Promise.all([agent.usage(), agent.usage(), agent.usage()]);
    expect(usage).toMatchObject([{ uuid: 'GPU-b7935da5-41fc-84c1-2853-ba90559aaeb8', utilizationPercent: 37, powerWatts: 80.42 }]);
    expect(machine.toolCalls.length).toBe(calls + 1);
    await clock.advance(3000);
    await agent.usage();
    expect(machine.toolCalls.length).toBe(calls + 2);
  });
});
