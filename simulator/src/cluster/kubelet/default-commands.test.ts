import { describe, expect, it } from 'vitest';
import { buildHardware } from '../machine/hardware.ts';
import { SimulatedMachine } from '../machine/simulated-machine.ts';
import { defaultCommands } from './default-commands.ts';
import type { CommandResult, ContainerContext } from './image-registry.ts';

const hardware = buildHardware({ cpu: 'xeon-6130', sockets: 1, memoryGiB: 64, gpus: [{ model: 't4', count: 2 }] }, 'node', 1);
const context: ContainerContext = {
  node: { name: 'node', address: '10.240.0.1', hardware },
  pod: { namespace: 'default', name: 'pod', uid: 'uid', ip: '10.64.1.2', labels: {}, annotations: {} },
  container: { name: 'main', image: 'plain', args: [] },
  env: { COLOUR: 'blue' },
  machine: new SimulatedMachine({ hostname: 'node', hardware }),
  devices: { list: () => [] },
  serve: () => {},
  log: () => {},
};

async function* input(...texts: readonly string[]): AsyncGenerator<Uint8Array, void> {
  for (const text of texts) yield Buffer.from(text);
}

const run = (command: readonly string[], ...stdin: readonly string[]): Promise<CommandResult> =>
  defaultCommands(context, command, input(...stdin), AbortSignal.timeout(5_000));

describe('commands of a simulated container', () => {
  it.each([
    [['echo', 'a', 'b'], { exitCode: 0, stdout: 'a b\n' }],
    [['/bin/hostname'], { exitCode: 0, stdout: 'pod\n' }],
    [['env'], { exitCode: 0, stdout: 'COLOUR=blue\n' }],
    [['cat', '/etc/hostname'], { exitCode: 0, stdout: 'node\n' }],
    [['ls', '/proc/driver/nvidia/gpus'], { exitCode: 0, stdout: '0000:10:00.0\n0000:11:00.0\n' }],
    [['false'], { exitCode: 1 }],
    [['cat', '/nowhere'], { exitCode: 1, stderr: expect.stringContaining('/nowhere') }],
    [['vim'], { exitCode: 127, stderr: expect.stringMatching(/^vim: not found; a simulated container has .*cat.* and sh -c\n$/) }],
    [['sh', '-c', "echo 'one'; echo two && exit 4; echo three"], { exitCode: 4, stdout: 'one\ntwo\n' }],
  ])('runs %j', async (command, expected) => {
    expect(await run(command)).toMatchObject(expected);
  });

  it('reads what comes in', async () => {
    expect(await run(['cat'], 'to ', 'and fro')).toEqual({ exitCode: 0, stdout: 'to and fro' });
  });

  it('shows the GPUs of the node', async () => {
    const { stdout = '' } = await run(['nvidia-smi', '-L']);
    expect(stdout.trim().split('\n')).toEqual(hardware.gpus.map(({ uuid }, index) => `GPU ${index}: Tesla T4 (UUID: ${uuid})`));
  });
});
