import { codeOf, messageOf } from '@quartermaster/kernel';
import { isFailure, type PodExec } from '@quartermaster/kube';
import { startCause } from '../../health/known-causes.ts';
import { closeCodes, StreamEnd } from './close-codes.ts';
import { frameOf, jsonFrame, readFrame } from './shell-frames.ts';
import type { TenantSocket } from './tenant-socket.ts';

export interface ShellWish {
  readonly command: readonly string[];
  readonly tty: boolean;
  readonly stdin: boolean;
  /** Empty: of the only service that there is. */
  readonly service: string;
  /** Among the pods of the service, by name. */
  readonly podIndex: number;
}

export interface ShellStreamOptions {
  readonly socket: Pick<TenantSocket, 'send' | 'receive' | 'signal' | 'close'>;
  readonly open: (signal: AbortSignal) => Promise<PodExec>;
  readonly wish: Pick<ShellWish, 'tty' | 'stdin'>;
  /** Told of each message, of either side. */
  readonly said: () => void;
}

/** Joins a tenant to a command. Returns its exit code; throws what ended it before. */
export async function streamShell({ socket, open, wish, said }: ShellStreamOptions): Promise<number> {
  const opening = open(socket.signal);
  // What a tenant says before the command runs, the size of its terminal first of all, waits for it.
  socket.receive(async (bytes, isBinary) => {
    said();
    const input = readFrame(bytes, isBinary);
    if (input.kind === 'malformed') throw new StreamEnd(closeCodes.malformed, input.why);
    if (input.kind === 'stdin' && !wish.stdin) throw new StreamEnd(closeCodes.malformed, 'stdin was not asked for: connect with stdin=1');
    const exec = await opening.catch(() => undefined);
    if (input.kind === 'resize') {
      if (wish.tty) exec?.resize(input);
    } else if (input.bytes.length === 0) exec?.endInput();
    else await exec?.write(input.bytes);
  });
  const exec = await opening.catch((thrown: unknown) => failed(socket, thrown));
  const isOver = (): void => exec.close();
  socket.signal.addEventListener('abort', isOver, { once: true });
  try {
    socket.signal.throwIfAborted();
    for await (const { channel, bytes } of exec.output) {
      said();
      await socket.send(frameOf(channel, bytes));
    }
    const exitCode = await exec.ended.catch((thrown: unknown) => failed(socket, thrown));
    await socket.send(jsonFrame('result', { exit_code: exitCode }));
    return exitCode;
  } catch (thrown) {
    socket.signal.throwIfAborted();
    throw thrown;
  } finally {
    socket.signal.removeEventListener('abort', isOver);
    // Who waits for it may have left.
    exec.ended.catch(() => {});
    exec.close();
  }
}

/** Tells the tenant why there is no exit code, and ends the stream. What is a bug is told of as one. */
async function failed(socket: ShellStreamOptions['socket'], thrown: unknown): Promise<never> {
  socket.signal.throwIfAborted();
  if (codeOf(thrown) === 'internal') throw thrown;
  const message = failureText(thrown);
  await socket.send(jsonFrame('failure', { message }));
  throw new StreamEnd(closeCodes.unavailable, message);
}

/** What the cluster says is not for tenants, but for what is known of their own command. */
function failureText(thrown: unknown): string {
  const cause = startCause(messageOf(thrown));
  if (cause !== undefined) return `the command could not be started: ${cause}`;
  if (codeOf(thrown) === 'not_found') return 'the replica is gone: try again';
  return isFailure(thrown, 'connection') ? 'the connection to the command broke: try again' : 'the command could not be started: try again';
}
