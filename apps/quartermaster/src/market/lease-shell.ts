import { StatusError } from '@quartermaster/kernel';
import { runShell, type ShellStreams } from '../gateway/shell-session.ts';
import { entriesAt } from '../text/json-path.ts';
import type { Output } from '../text/output.ts';
import { type GatewayFlags, type LeaseAccess, leaseAccess } from './lease-access.ts';

export interface LeaseShellFlags extends GatewayFlags {
  readonly service?: string | undefined;
  readonly podIndex: number;
  readonly tty?: boolean | undefined;
}

const ofProcess = (): ShellStreams => ({ stdin: process.stdin, stdout: process.stdout, stderr: process.stderr });

/** Runs a command in a service of a lease, and resolves with its exit code. */
export async function leaseShell(
  [name = '', ...command]: readonly string[],
  flags: LeaseShellFlags,
  { err }: Output,
  signal: AbortSignal,
  streams: ShellStreams = ofProcess(),
): Promise<number> {
  const isTerminal = flags.tty ?? (streams.stdin.isTTY === true && streams.stdout.isTTY === true);
  const { service: named } = flags;
  const rights = named === undefined ? { scopes: ['shell', 'status'] as const } : { scopes: ['shell'] as const, services: [named] };
  const access = await leaseAccess(flags, name, rights, (line) => err.write(line))();
  const service = named ?? (await onlyService(access, signal));
  const [tty, podIndex] = [isTerminal ? '1' : '0', String(flags.podIndex)];
  const query = new URLSearchParams({ service, podIndex, tty, stdin: '1' });
  for (const [at, word] of (command.length === 0 ? ['sh'] : command).entries()) query.set(`cmd${at}`, word);
  const target = `${access.path}/shell?${query.toString()}`;
  try {
    const { exitCode, message } = await runShell(access.client, { target, isTerminal }, streams, signal);
    if (message !== '') err.write(`quartermaster: ${message}\n`);
    return exitCode;
  } catch (thrown) {
    // As a shell says of what Ctrl-C has ended.
    if (signal.aborted) return 130;
    throw thrown;
  }
}

async function onlyService({ client, path, lease }: LeaseAccess, signal: AbortSignal): Promise<string> {
  const status = await client.get(`${path}/status`, AbortSignal.any([signal, AbortSignal.timeout(30_000)])).catch((thrown: unknown) => {
    if (!(thrown instanceof StatusError) || thrown.code !== 'permission_denied') throw thrown;
    throw new StatusError(thrown.code, `${thrown.message}; its services cannot be looked up: name one with --service`, { cause: thrown });
  });
  const names = entriesAt(status, 'services').map(([service]) => service);
  const [only] = names;
  if (only !== undefined && names.length === 1) return only;
  throw new StatusError(
    'invalid_argument',
    names.length === 0
      ? `lease ${lease} has no services yet`
      : `lease ${lease} has several services: name one with --service: ${names.join(', ')}`,
  );
}
