import { messageOf } from '@quartermaster/kernel';
import type { CommandResult, ContainerCommand, ContainerContext } from './image-registry.ts';

type Command = (context: ContainerContext, args: readonly string[], stdin: AsyncIterable<Uint8Array>) => Promise<CommandResult>;

const ok = (stdout: string): CommandResult => ({ exitCode: 0, stdout });

// name -> what it does
const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['true', async () => ok('')],
  ['false', async () => ({ exitCode: 1 })],
  ['echo', async (_context, args) => ok(`${args.join(' ')}\n`)],
  ['hostname', async ({ pod }) => ok(`${pod.name}\n`)],
  [
    'env',
    async ({ env }) =>
      ok(
        Object.entries(env)
          .map(([name, value]) => `${name}=${value}\n`)
          .join(''),
      ),
  ],
  ['exit', async (_context, [code = '0']) => ({ exitCode: Number(code) })],
  ['cat', cat],
  ['ls', async ({ machine }, [path = '/']) => ok(`${(await machine.readDirectory(path)).join('\n')}\n`)],
  ['nvidia-smi', nvidiaSmi],
]);

/** The commands that every simulated container has: enough to look around with. `sh -c` runs one of them after another. */
export const defaultCommands: ContainerCommand = async (context, command, stdin) => {
  const [name = '', ...args] = command;
  const shell = /(^|\/)(sh|bash)$/.test(name);
  if (!shell) return await runOne(context, command, stdin);
  const script = args[0] === '-c' ? (args[1] ?? '') : '';
  let stdout = '';
  let stderr = '';
  let exitCode = 0;
  for (const line of script.split(/;|&&|\n/)) {
    const words = line
      .trim()
      .split(/\s+/)
      .filter((word) => word !== '')
      .map(unquoted);
    if (words.length === 0) continue;
    const result = await runOne(context, words, stdin);
    stdout += result.stdout ?? '';
    stderr += result.stderr ?? '';
    exitCode = result.exitCode;
    if (words[0] === 'exit') break;
  }
  return { exitCode, stdout, stderr };
};

async function runOne(
  context: ContainerContext,
  [name = '', ...args]: readonly string[],
  stdin: AsyncIterable<Uint8Array>,
): Promise<CommandResult> {
  const command = commands.get(name.slice(name.lastIndexOf('/') + 1));
  if (command === undefined) {
    return { exitCode: 127, stderr: `${name}: not found; a simulated container has ${[...commands.keys()].join(', ')} and sh -c\n` };
  }
  try {
    return await command(context, args, stdin);
  } catch (thrown) {
    return { exitCode: 1, stderr: `${name}: ${messageOf(thrown)}\n` };
  }
}

async function cat({ machine }: ContainerContext, paths: readonly string[], stdin: AsyncIterable<Uint8Array>): Promise<CommandResult> {
  if (paths.length > 0) return ok((await Promise.all(paths.map((path) => machine.readFile(path)))).join(''));
  const chunks: Uint8Array[] = [];
  for await (const chunk of stdin) chunks.push(chunk);
  return ok(Buffer.concat(chunks).toString('utf8'));
}

async function nvidiaSmi({ machine }: ContainerContext, args: readonly string[]): Promise<CommandResult> {
  const { status, stdout, stderr } = await machine.runTool('nvidia-smi', args);
  return { exitCode: status, stdout, stderr };
}

const unquoted = (word: string): string => word.replace(/^(['"])(.*)\1$/, '$2');
