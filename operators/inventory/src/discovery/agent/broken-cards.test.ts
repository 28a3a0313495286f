import type { GpuHealth } from '@quartermaster/api/node-hardware';
import { StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { h200Virtual } from '../../../test/machines/h200-virtual.ts';
import type { MemoryMachine } from '../../../test/machines/memory-machine.ts';
import type { MemoryHardwareStore } from '../../../test/memory-hardware-store.ts';
import { startTestAgent as start } from '../../../test/start-test-agent.ts';
import type { ToolResult } from '../machine/machine-reader.ts';
import { fitLine } from '../parse/nvidia-xid.ts';

const card = '0000:00:06.0';
const minute = 60_000;
const health = (server: MemoryHardwareStore): GpuHealth | undefined => server.objects.get('node-a')?.spec.gpus?.[0]?.health;
const disks = (server: MemoryHardwareStore) => server.objects.get('node-a')?.spec.disks?.map(({ name }) => name);

describe('an agent whose nvidia-smi hangs', () => {
  it('tells all else meanwhile, asks it once, and calls the card broken when it cannot be killed', async () => {
    const machine = h200Virtual();
    const { promise, reject } = Promise.withResolvers<ToolResult>();
    const answer = machine.tools.get('nvidia-smi') ?? '';
    machine.tools.set('nvidia-smi', promise);
    const { agent, clock, server } = await start({ machine });
    await clock.advance(10_000);
    expect(agent.scanAgeMs).toBe(0);
    expect(disks(server)).toEqual(['vda']);
    expect(health(server)).toEqual({ state: 'unknown', reason: 'nvidia-smi has not answered yet', code: 'Pending' });
    machine.files.set('/sys/block/nvme0n1/size', '7501476528\n');
    await clock.advance(15_000);
    expect(disks(server)).toEqual(['nvme0n1', 'vda']);
    expect(machine.toolCalls).toEqual(['nvidia-smi']);

    machine.stuck = { pid: 4711, since: Date.parse('2026-01-01T00:00:00Z') };
    reject(new StatusError('unavailable', 'nvidia-smi did not finish within 120000 ms'));
    await clock.advance(5_000);
    const reason = expect.stringContaining('nvidia-smi (process 4711) waits in the driver and cannot be ended');
    expect(health(server)).toEqual({ state: 'unhealthy', code: 'DriverStuck', reason, since: '2026-01-01T00:00:00.000Z' });
    const { scans } = agent.status;
    const { length } = server.writes;
    machine.tools.set('nvidia-smi', new StatusError('unavailable', 'nvidia-smi did not finish within 120000 ms'));
    await clock.advance(10 * minute);
    expect(agent.status.scans).toBeGreaterThan(scans + 3);
    expect(server.writes).toHaveLength(length);

    machine.stuck = undefined;
    machine.tools.set('nvidia-smi', answer);
    await clock.advance(2 * minute + 5_000);
    expect(health(server)).toEqual({ state: 'healthy' });
  });

  it('does not call a card unknown while a slow tool is asked that has called it healthy before, and writes nothing', async () => {
    const first = await start();
    await first.stop();
    const { machine, server } = first;
    const { promise, resolve } = Promise.withResolvers<ToolResult>();
    const stdout = String(machine.tools.get('nvidia-smi'));
    machine.tools.set('nvidia-smi', promise);
    const { agent, clock } = await start({ machine, server });
    await clock.advance(minute);
    expect(health(server)).toEqual({ state: 'healthy' });
    resolve({ status: 0, stdout, stderr: '' });
    await clock.advance(minute);
    expect(agent.status.scans).toBeGreaterThan(1);
    expect(health(server)).toEqual({ state: 'healthy' });
    expect(agent.status.writes).toBe(0);
  });

  it('answers who asks for the use of GPUs from one look, however long that takes', async () => {
    const { agent, clock, machine } = await start();
    const usage = [...machine.tools.keys()].find((call) => call.includes('utilization.gpu')) ?? '';
    const { promise, resolve } = Promise.withResolvers<ToolResult>();
    machine.tools.set(usage, promise);
    const calls = machine.toolCalls.length;
    const asked = [agent.usage()];
    await clock.advance(30_000);
    asked.push(agent.usage());
    resolve({ status: 0, stdout: '', stderr: '' });
    expect(await Promise.all(asked)).toEqual([[], []]);
    expect(machine.toolCalls).toHaveLength(calls + 1);
  });
});

describe('an agent and a card with a fatal error', () => {
  const xid = `4,1200,90000000,-;NVRM: Xid (PCI:0000:00:06): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.`;
  const machineWith = (log: string, bootId = 'boot-1'): MemoryMachine => {
    const machine = h200Virtual();
    machine.files.set('/dev/kmsg', log);
    machine.files.set('/proc/stat', 'btime 1767225600\n');
    machine.files.set('/proc/sys/kernel/random/boot_id', `${bootId}\n`);
    return machine;
  };
  const quarantine = { state: 'unhealthy', code: 'XidError', xids: [79], bootId: 'boot-1', since: '2026-01-01T00:01:30.000Z' };

  /** The server as an agent leaves it that has seen the error. */
  async function seen(): Promise<MemoryHardwareStore> {
    const { server, stop } = await start({ machine: machineWith(xid) });
    await stop();
    expect(health(server)).toMatchObject(quarantine);
    return server;
  }

  it('keeps it in quarantine over a restart of the agent when the log has forgotten it, without a write', async () => {
    const server = await seen();
    const { agent, clock } = await start({ server, machine: machineWith('') });
    await clock.advance(30 * minute);
    expect(health(server)).toMatchObject(quarantine);
    expect(agent.status.writes).toBe(0);
  });

  it('keeps it in quarantine when so much was logged since that its own memory of the log is full', async () => {
    const { clock, machine, server } = await start({ machine: machineWith(xid) });
    machine.files.set('/dev/kmsg', xid.replace('79,', '13,'));
    await clock.advance(10 * minute);
    expect(health(server)).toMatchObject(quarantine);
  });

  it('keeps it in quarantine while the tool hangs, and when the server was away at the start', async () => {
    const server = await seen();
    const machine = machineWith('');
    machine.tools.set('nvidia-smi', new Promise<ToolResult>(() => {}));
    server.isAway = true;
    const { clock } = await start({ server, machine });
    await clock.advance(5 * minute);
    server.isAway = false;
    await clock.advance(5 * minute);
    expect(health(server)).toMatchObject(quarantine);
  });

  it.each([
    ['a person calls it fit', machineWith(`12,1300,99000000,-;${fitLine(card)}`)],
    ['the driver was loaded anew', machineWith('4,1300,99000000,-;NVRM: loading NVIDIA UNIX x86_64 Kernel Module  580.1')],
    ['the machine was restarted', machineWith('', 'boot-2')],
  ])('releases it when %s', async (_, machine) => {
    const { server } = await start({ server: await seen(), machine });
    expect(health(server)).toEqual({ state: 'healthy' });
  });

  it('releases it within seconds when a person calls it fit whose error the log has forgotten', async () => {
    const machine = machineWith('');
    const { clock, server } = await start({ server: await seen(), machine });
    machine.files.set('/dev/kmsg', `12,1300,99000000,-;${fitLine(card)}`);
    await clock.advance(5_000);
    expect(health(server)).toEqual({ state: 'healthy' });
  });

  it('holds nothing against another card in its place', async () => {
    const machine = machineWith('');
    for (const [path, file] of machine.files) {
      if (typeof file === 'string') machine.files.set(path, file.replaceAll('GPU-b7935da5', 'GPU-00000000'));
    }
    for (const [call, said] of machine.tools) machine.tools.set(call, String(said).replaceAll('GPU-b7935da5', 'GPU-00000000'));
    const { server } = await start({ server: await seen(), machine });
    expect(health(server)).toEqual({ state: 'healthy' });
  });
});
