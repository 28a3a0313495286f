import { describe, expect, it } from 'vitest';
import { buildHardware } from '../machine/hardware.ts';
import { SimulatedMachine } from '../machine/simulated-machine.ts';
import { defaultCommands } from './default-commands.ts';
import type { CommandIo, ContainerContext } from './image-registry.ts';

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

/** What a command has written, and how it ended. */
interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const never = new AbortController().signal;

async function run(command: readonly string[], ...stdin: readonly string[]): Promise<Ended> {
  const input = stdin.map((text) => Buffer.from(text));
  const written = { stdout: '', stderr: '' };
  const io: CommandIo = {
    read: async () => input.shift(),
    write: async (output, to = 'stdout') => {
      written[to] += Buffer.from(output).toString();
    },
  };
  return { exitCode: await defaultCommands(context, command, io, never), ...written };
}

describe('commands of a simulated container', () => {
  it.each([
    [['echo', 'a', 'b'], { exitCode: 0, stdout: 'a b\n' }],
    [['/bin/hostname'], { exitCode: 0, stdout: 'pod\n' }],
    [['env'], { exitCode: 0, stdout: 'COLOUR=blue\n' }],
    [['cat', '/etc/hostname'], { exitCode: 0, stdout: 'node\n' }],
    [['ls', '/proc/driver/nvidia/gpus'], { exitCode: 0, stdout: '0000:10:00.0\n0000:11:00.0\n' }],
    [['seq', '3'], { exitCode: 0, stdout: '1\n2\n3\n' }],
    [['stty', 'size'], { exitCode: 1, stderr: expect.stringContaining('Inappropriate ioctl') }],
    [['false'], { exitCode: 1 }],
    [['cat', '/nowhere'], { exitCode: 1, stderr: expect.stringContaining('/nowhere') }],
    [['vim'], { exitCode: 127, stderr: expect.stringMatching(/^vim: not found; a simulated container has .*cat.* and sh\n$/) }],
  ])('runs %j', async (command, expected) => {
    expect(await run(command)).toMatchObject(expected);
  });

  it('reads what comes in', async () => {
    expect(await run(['cat'], 'to ', 'and fro')).toEqual({ exitCode: 0, stdout: 'to and fro', stderr: '' });
  });

  it('shows the GPUs of the node', async () => {
    const { stdout } = await run(['nvidia-smi', '-L']);
    expect(stdout.trim().split('\n')).toEqual(hardware.gpus.map(({ uuid }, index) => `GPU ${index}: Tesla T4 (UUID: ${uuid})`));
  });

  it('counts far in blocks, and to the end', async () => {
    const { stdout } = await run(['seq', '10000']);
    const numbers = stdout.trim().split('\n').map(Number);
    expect([numbers.length, numbers.at(-1), numbers.every((number, index) => number === index + 1)]).toEqual([10_000, 10_000, true]);
  });

  it('writes without end for as long as it is taken, and not more than is taken', async () => {
    const over = new AbortController();
    const taken = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const blocks: string[] = [];
    const io: CommandIo = {
      read: async () => undefined,
      write: async (output) => {
        blocks.push(String(output));
        await taken[blocks.length - 1]?.promise;
      },
    };
    const running = defaultCommands(context, ['yes', 'no'], io, over.signal);
    expect(blocks).toHaveLength(1);
    taken[0]?.resolve();
    await expect.poll(() => blocks.length).toBe(2);
    over.abort();
    taken[1]?.resolve();
    expect(await running).toBe(0);
    expect(blocks[0]).toMatch(/^(no\n)+$/);
    expect(blocks).toHaveLength(2);
  });
});

describe('the shell of a simulated container', () => {
  it.each([
    ["echo 'one'; echo two && exit 4; echo three", 4, 'one\ntwo\n', ''],
    ['false && echo no && echo no; echo yes', 0, 'yes\n', ''],
    ["echo \"a  b\"c '; && d' it's", 0, "a  bc ; && d it's\n", ''],
    ['echo one\necho two', 0, 'one\ntwo\n', ''],
    ['echo a && false', 1, 'a\n', ''],
    ['nonsense; echo on', 0, 'on\n', 'sh: 1: nonsense: not found\n'],
    ['nonsense', 127, '', 'sh: 1: nonsense: not found\n'],
    ['false; exit', 1, '', ''],
    ['exit 300', 44, '', ''],
    ['', 0, '', ''],
  ])('runs %j', async (script, exitCode, stdout, stderr) => {
    expect(await run(['/bin/sh', '-c', script])).toEqual({ exitCode, stdout, stderr });
  });

  it('runs what is piped into it, and ends with it', async () => {
    expect(await run(['bash'], 'echo o', 'ne\nfal', 'se')).toEqual({ exitCode: 1, stdout: 'one\n', stderr: '' });
  });

  it('leaves the rest of the input to a command that reads', async () => {
    expect(await run(['sh'], 'echo first\ncat\nto ', 'cat\n')).toEqual({ exitCode: 0, stdout: 'first\nto cat\n', stderr: '' });
  });
});
