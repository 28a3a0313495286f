import { StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { discoveryOptions } from '../../../test/machines/discovery-options.ts';
import { h200Virtual } from '../../../test/machines/h200-virtual.ts';
import type { MemoryMachine } from '../../../test/machines/memory-machine.ts';
import { gpuQueryFields } from '../parse/nvidia-smi.ts';
import { discoverHardware } from './discover-hardware.ts';

const options = discoveryOptions();

describe('discoverHardware and the health of GPUs', () => {
  const query = `nvidia-smi --query-gpu=${gpuQueryFields.join(',')} --format=csv,noheader,nounits`;
  const information = '/proc/driver/nvidia/gpus/0000:00:06.0/information';
  const healthOf = async (change: (machine: MemoryMachine) => void): Promise<unknown> => {
    const machine = h200Virtual();
    change(machine);
    return (await discoverHardware(machine, options)).gpus?.[0]?.health;
  };
  const row = (change: Readonly<Record<string, string>>): string => {
    const good =
      '00000000:00:06.0, GPU-b7935da5-41fc-84c1-2853-ba90559aaeb8, NVIDIA H200, 143771, 580.159.04, 9.0, Disabled, 0, No, No, [N/A], None';
    const values = good.split(', ').map((value, index) => change[gpuQueryFields[index] ?? ''] ?? value);
    return `${values.join(', ')}\n`;
  };

  it.each([
    ['uncorrected errors', { 'ecc.errors.uncorrected.volatile.total': '3' }, '3 uncorrected ECC errors since the driver was loaded'],
    [
      'a field that asks for a reset',
      { 'memory.total': '[GPU requires reset]' },
      'nvidia-smi cannot read memory.total: GPU requires reset',
    ],
    [
      'an error mark in a field',
      { 'ecc.errors.uncorrected.volatile.total': 'ERR!' },
      'nvidia-smi cannot read ecc.errors.uncorrected.volatile.total: ERR!',
    ],
    ['memory rows that cannot be replaced', { 'remapped_rows.failure': 'Yes' }, 'the memory has more bad rows than it can replace'],
    ['memory rows that wait for a reset', { 'remapped_rows.pending': 'Yes' }, 'bad memory rows are replaced at the next reset of the GPU'],
    ['a recovery that the driver recommends', { gpu_recovery_action: 'Reboot' }, 'the driver recommends: Reboot'],
  ])('calls a card unhealthy for %s', async (_, change, reason) => {
    expect(await healthOf((machine) => machine.tools.set(query, row(change)))).toEqual({ state: 'unhealthy', reason });
  });

  it('calls a card unhealthy that the loaded driver does not list', async () => {
    const health = await healthOf((machine) => {
      machine.files.delete(information);
      machine.files.set('/proc/driver/nvidia/gpus/0000:99:00.0/information', 'Model: other\n');
      machine.tools.set(query, '');
    });
    expect(health).toEqual({ state: 'unhealthy', reason: 'the NVIDIA driver is loaded but does not list this card' });
  });

  it('calls a card unhealthy that the driver was told to leave out', async () => {
    const health = await healthOf((machine) => machine.files.set(information, 'Model: NVIDIA H200\nGPU Excluded:\t Yes\n'));
    expect(health).toEqual({ state: 'unhealthy', reason: 'the NVIDIA driver is configured to exclude this card' });
  });

  it('calls a card unhealthy that fell off the bus', async () => {
    const stdout = 'Unable to determine the device handle for GPU0000:00:06.0: GPU is lost.  Reboot the system to recover this GPU\n';
    const health = await healthOf((machine) => machine.tools.set(query, { status: 15, stdout, stderr: '' }));
    expect(health).toMatchObject({ state: 'unhealthy', reason: expect.stringContaining('GPU is lost') });
  });

  it('says unknown, not unhealthy, when the tool hangs, and says so in the problems', async () => {
    const machine = h200Virtual();
    machine.tools.set('nvidia-smi', new StatusError('unavailable', '/usr/bin/nvidia-smi did not finish within 30000 ms'));
    const { gpus, problems } = await discoverHardware(machine, options);
    expect(gpus?.[0]).toMatchObject({ uuid: 'GPU-b7935da5-41fc-84c1-2853-ba90559aaeb8', health: { state: 'unknown' } });
    expect(problems).toEqual(['/usr/bin/nvidia-smi did not finish within 30000 ms']);
  });

  it('knows nothing of a card that is handed through to a virtual machine', async () => {
    const health = await healthOf((machine) => {
      machine.files.set('/sys/devices/pci0000:00/0000:00:06.0/driver', { link: '../../../bus/pci/drivers/vfio-pci' });
      machine.files.delete(information);
    });
    expect(health).toEqual({ state: 'unknown', reason: 'the card belongs to the driver vfio-pci' });
  });

  it('counts a card without any driver', async () => {
    const machine = h200Virtual();
    for (const path of machine.files.keys()) if (path.startsWith('/proc/driver') || path.endsWith('/driver')) machine.files.delete(path);
    const { gpus } = await discoverHardware(machine, options);
    expect(gpus).toEqual([
      {
        pciAddress: '0000:00:06.0',
        vendorId: '10de',
        productId: '2335',
        health: { state: 'unknown', reason: 'no driver is loaded for this card' },
      },
    ]);
    expect(machine.toolCalls).toEqual([]);
  });
});
