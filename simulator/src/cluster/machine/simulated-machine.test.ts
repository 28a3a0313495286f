import { describe, expect, it } from 'vitest';
import { buildHardware } from './hardware.ts';
import { SimulatedMachine } from './simulated-machine.ts';

const hardware = buildHardware(
  {
    cpu: 'xeon-8480',
    sockets: 2,
    memoryGiB: 1024,
    gpus: [
      { model: 'h100', interface: 'SXM5', count: 2 },
      { model: 'rtx4090', count: 1 },
    ],
    disks: [{ kind: 'nvme', sizeGB: 1920, count: 1 }],
  },
  'node-1',
  7,
);
const [first, second, third] = hardware.gpus;
const lost = new Set<string>();
const machine = new SimulatedMachine({ hostname: 'node-1', hardware, lostGpus: lost, isHeld: ({ uuid }) => uuid === second?.uuid });

const smi = async (...args: readonly string[]) => await machine.runTool('nvidia-smi', args);

describe('nvidia-smi of a simulated machine', () => {
  it('answers a query with the fields that were asked for, in their order', async () => {
    const query = ['--query-gpu=index,pci.bus_id,name,memory.total,compute_cap,mig.mode.current,ecc.errors.uncorrected.volatile.total'];
    expect(await smi(...query, '--format=csv,noheader,nounits')).toEqual({
      status: 0,
      stdout: [
        '0, 00000000:10:00.0, NVIDIA H100 80GB HBM3, 81559, 9.0, Disabled, 0',
        '1, 00000000:11:00.0, NVIDIA H100 80GB HBM3, 81559, 9.0, Disabled, 0',
        '2, 00000000:12:00.0, NVIDIA GeForce RTX 4090, 24564, 8.9, [N/A], [N/A]',
        '',
      ].join('\n'),
      stderr: '',
    });
    const { stdout } = await smi('--query-gpu', 'uuid,memory.used,utilization.gpu', '--format', 'csv');
    expect(stdout.split('\n')[0]).toBe('uuid, memory.used [MiB], utilization.gpu [%]');
    expect(stdout.split('\n')[1]).toBe(`${first?.uuid}, 0 MiB, 0 %`);
    expect(stdout.split('\n')[2]).toMatch(/^GPU-[-0-9a-f]+, [1-9]\d+ MiB, [1-9]\d? %$/);
  });

  it('refuses a field that it does not know as the real tool does', async () => {
    expect(await smi('--query-gpu=uuid,colour', '--format=csv')).toMatchObject({
      status: 2,
      stdout: 'Field "colour" is not a valid field to query.\n\n',
    });
  });

  it('says which GPUs there are, their links, their slices and the CUDA version', async () => {
    expect((await smi('-L')).stdout).toBe(
      hardware.gpus.map((gpu) => `GPU ${gpu.minor}: ${gpu.productName} (UUID: ${gpu.uuid})\n`).join(''),
    );
    expect((await smi('nvlink', '--status')).stdout.match(/Link \d+: 26\.562 GB\/s/g)).toHaveLength(36);
    expect((await smi('mig', '-lgip')).stdout.match(/MIG 1g\.10gb/g)).toHaveLength(2);
    expect((await smi()).stdout).toMatch(/CUDA Version: 13\.0/);
    expect((await smi()).stdout).toMatch(/made up/);
    expect((await smi('--explode')).status).toBe(2);
  });

  it('complains of a lost GPU and tells of the others', async () => {
    lost.add(first?.uuid ?? '');
    const { status, stdout } = await smi('--query-gpu=uuid', '--format=csv,noheader');
    expect({ status, stdout }).toEqual({
      status: 15,
      stdout: `Unable to determine the device handle for GPU0000:10:00.0: GPU is lost.  Reboot the system to recover this GPU\n${second?.uuid}\n${third?.uuid}\n`,
    });
    lost.clear();
    expect((await smi('-L')).status).toBe(0);
  });

  it('shows a container the GPUs that it was given, counted from 0', async () => {
    const { stdout } = await machine.seeing([third?.uuid ?? '']).runTool('nvidia-smi', ['-L']);
    expect(stdout).toBe(`GPU 0: NVIDIA GeForce RTX 4090 (UUID: ${third?.uuid})\n`);
  });

  it('is not on a machine without such cards, nor is any other tool', async () => {
    const plain = new SimulatedMachine({ hostname: 'n', hardware: { ...hardware, gpus: [] } });
    await expect(plain.runTool('nvidia-smi', [])).rejects.toMatchObject({ code: 'not_found' });
    await expect(machine.runTool('rocm-smi', [])).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('filesystems of a simulated machine', () => {
  it('are on the first disk, and local volumes on the second where there is one', async () => {
    expect(await machine.filesystemOf('/var/lib/kubelet')).toEqual({ sizeBytes: 1920e9, device: '259:0', usedBytes: 20e9 });
    expect(await machine.filesystemOf('/opt/local-path-provisioner')).toEqual({ sizeBytes: 1920e9, device: '259:0', usedBytes: 20e9 });
    const [disk] = hardware.disks;
    const disks = disk === undefined ? [] : [disk, { ...disk, name: 'nvme1n1', sizeBytes: 5e12 }];
    const larger = new SimulatedMachine({ hostname: 'n', hardware: { ...hardware, disks } });
    expect(await larger.filesystemOf('/opt/local-path-provisioner/pvc-1')).toEqual({ sizeBytes: 5e12, device: '259:1', usedBytes: 0 });
    expect(await larger.filesystemOf('/')).toEqual({ sizeBytes: 1920e9, device: '259:0', usedBytes: 20e9 });
    await expect(machine.filesystemOf('relative')).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});
