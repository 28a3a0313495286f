import { messageOf } from '@quartermaster/kernel';
import type { CommandIo, ContainerCommand, ContainerContext } from './image-registry.ts';
import { runShell } from './shell.ts';

type Command = (context: ContainerContext, args: readonly string[], io: CommandIo, signal: AbortSignal) => Promise<number>;

/** A command that says something and succeeds. */
const telling =
  (text: (context: ContainerContext, args: readonly string[]) => string | Promise<string>): Command =>
  async (context, args, io) => {
    await io.write(await text(context, args));
    return 0;
  };

// name -> what it does
const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['true', async () => 0],
  ['false', async () => 1],
  ['echo', telling((_context, args) => `${args.join(' ')}\n`)],
  ['hostname', telling(({ pod }) => `${pod.name}\n`)],
  ['env', telling(({ env }) => linesOf(Object.entries(env).map(([name, value]) => `${name}=${value}`)))],
  ['cat', cat],
  ['ls', telling(async ({ machine }, [path = '/']) => `${(await machine.readDirectory(path)).join('\n')}\n`)],
  ['nvidia-smi', nvidiaSmi],
  ['stty', stty],
  ['yes', yes],
  ['seq', seq],
]);

/** The commands that every simulated container has: enough to look around with, and a shell that runs them. */
export const defaultCommands: ContainerCommand = async (context, command, io, signal) => {
  const [name = '', ...args] = command;
  if (!/(^|\/)(sh|bash)$/.test(name)) {
    const unknown = `${name}: not found; a simulated container has ${[...commands.keys()].join(', ')} and sh\n`;
    return await runOne(context, command, io, signal, unknown);
  }
  return await runShell(io, signal, {
    script: args[0] === '-c' ? (args[1] ?? '') : undefined,
    banner: `This is a simulated container: nothing real runs here. There are ${[...commands.keys()].join(', ')} and exit.\n`,
    run: (words, inner, over) => runOne(context, words, inner, over, `sh: 1: ${words[0]}: not found\n`),
  });
};

async function runOne(
  context: ContainerContext,
  [name = '', ...args]: readonly string[],
  io: CommandIo,
  signal: AbortSignal,
  unknown: string,
): Promise<number> {
  const command = commands.get(name.slice(name.lastIndexOf('/') + 1));
  if (command === undefined) {
    await io.write(unknown, 'stderr');
    return 127;
  }
  try {
    return await command(context, args, io, signal);
  } catch (thrown) {
    await io.write(`${name}: ${messageOf(thrown)}\n`, 'stderr');
    return 1;
  }
}

async function cat({ machine }: ContainerContext, paths: readonly string[], io: CommandIo, signal: AbortSignal): Promise<number> {
  for (const path of paths) await io.write(await machine.readFile(path));
  if (paths.length > 0) return 0;
  for (let chunk = await io.read(); chunk !== undefined && !signal.aborted; chunk = await io.read()) await io.write(chunk);
  return 0;
}

async function nvidiaSmi({ machine }: ContainerContext, args: readonly string[], io: CommandIo): Promise<number> {
  const { status, stdout, stderr } = await machine.runTool('nvidia-smi', args);
  await io.write(stdout);
  await io.write(stderr, 'stderr');
  return status;
}

async function stty(_context: ContainerContext, [what]: readonly string[], io: CommandIo): Promise<number> {
  const { terminal } = io;
  if (terminal === undefined) {
    await io.write("stty: 'standard input': Inappropriate ioctl for device\n", 'stderr');
    return 1;
  }
  if (what === 'size') await io.write(`${terminal.size.height} ${terminal.size.width}\n`);
  return 0;
}

/** About how much is written at once. */
const blockBytes = 32 * 1024;

async function yes(_context: ContainerContext, args: readonly string[], io: CommandIo, signal: AbortSignal): Promise<number> {
  const line = `${args.length === 0 ? 'y' : args.join(' ')}\n`;
  const block = line.repeat(Math.ceil(blockBytes / line.length));
  while (!signal.aborted) await io.write(block);
  return 0;
}

async function seq(_context: ContainerContext, [last = '0']: readonly string[], io: CommandIo, signal: AbortSignal): Promise<number> {
  const blockLines = blockBytes / 8;
  for (let first = 1; first <= Number(last) && !signal.aborted; first += blockLines) {
    const count = Math.min(blockLines, Number(last) - first + 1);
    await io.write(linesOf(Array.from({ length: count }, (_, index) => first + index)));
  }
  return 0;
}

const linesOf = (values: readonly (string | number)[]): string => values.map((value) => `${value}\n`).join('');
