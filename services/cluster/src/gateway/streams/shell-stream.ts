import { codeOf, StatusError } from '@quartermaster/kernel';
import type { PodExec } from '@quartermaster/kube';
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
  const exec = await open(socket.signal).catch(async (thrown: unknown) => {
    const message = codeOf(thrown) === 'unavailable' ? 'the command could not be started' : failureText(thrown);
    await socket.send(jsonFrame('failure', { message }));
    throw new StreamEnd(closeCodes.unavailable, message);
  });
  const isOver = (): void => exec.close();
  socket.signal.addEventListener('abort', isOver, { once: true });
  try {
    socket.receive(async (bytes, isBinary) => {
      said();
      const input = readFrame(bytes, isBinary);
      if (input.kind === 'malformed') throw new StreamEnd(closeCodes.malformed, input.why);
      if (input.kind === 'resize') {
        if (wish.tty) exec.resize(input);
        return;
      }
      if (!wish.stdin) throw new StreamEnd(closeCodes.malformed, 'stdin was not asked for: connect with stdin=1');
      if (input.bytes.length === 0) exec.endInput();
      else await exec.write(input.bytes);
    });
    for await (const { channel, bytes } of exec.output) {
      said();
      await socket.send(frameOf(channel, bytes));
    }
    const exitCode = await exec.ended;
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

/** What the cluster says is not for tenants. */
const failureText = (thrown: unknown): string =>
  thrown instanceof StatusError && thrown.code === 'not_found' ? 'the replica is gone: try again' : 'the command could not be started';
