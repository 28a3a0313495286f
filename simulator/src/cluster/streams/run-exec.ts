import { type Clock, messageOf } from '@quartermaster/kernel';
import type { WebSocket } from 'ws';
import { defaultCommands } from '../kubelet/default-commands.ts';
import type { CommandIo, ImageRegistry } from '../kubelet/image-registry.ts';
import type { PodRun } from '../kubelet/pod-run.ts';
import { Terminal } from '../kubelet/terminal.ts';
import { ChannelSocket } from './channel-socket.ts';
import type { KubeletPath } from './kubelet-path.ts';

const failedCode = 1;
const interruptedCode = 130;
/** Of a command whose container has ended. */
const killedCode = 137;

export interface ExecContext {
  readonly images: ImageRegistry;
  readonly clock: Clock;
}

/** Runs a command in a running container for whoever is at the other end of the socket. It ends with them, and with the container. */
export async function runExec(
  run: PodRun,
  { container, query }: KubeletPath,
  client: WebSocket,
  { images, clock }: ExecContext,
): Promise<void> {
  const channel = new ChannelSocket(client, { hasInput: query.has('input') });
  const log = run.logOfRunning(container);
  const interrupted = new AbortController();
  const gone = new AbortController();
  client.once('close', () => gone.abort(new Error('the client disconnected')));
  const signals = [gone.signal, interrupted.signal, ...(log === undefined ? [] : [log.ended])];
  const signal = AbortSignal.any(signals);
  const over = new Promise<number>((resolve) => {
    signal.addEventListener('abort', () => resolve(interrupted.signal.aborted ? interruptedCode : killedCode), { once: true });
  });
  const execute = async (): Promise<number> => {
    const context = await run.context(container);
    if (context === undefined || log === undefined) return killedCode;
    const io = query.has('tty') ? terminalOf(channel, () => interrupted.abort()) : channel;
    const command = images.roleOf(context.container.image, context.container.args)?.exec ?? defaultCommands;
    const write = (text: string): void => log.append(clock.now(), text);
    return await command({ ...context, log: write }, query.getAll('command'), io, signal);
  };
  try {
    channel.end(await Promise.race([execute(), over]));
  } catch (error) {
    await channel.write(`${messageOf(error)}\n`, 'stderr').catch(() => {});
    channel.end(failedCode);
  }
}

function terminalOf(channel: ChannelSocket, interrupt: () => void): CommandIo {
  const terminal = new Terminal(channel, interrupt);
  // It ends with the connection, and has nobody to tell.
  terminal.follow().catch(() => {});
  return terminal;
}
