import type { Readable } from 'node:stream';
import { StatusError } from '@quartermaster/kernel';
import type { GatewayClient, GatewayStream } from './gateway-client.ts';
import { endFailure } from './gateway-failure.ts';
import { readFrame, resizeFrame, type ShellFrame, stdinFrame } from './shell-frames.ts';
import { followSize, type TerminalInput, type TerminalScreen, withRawTerminal } from './terminal.ts';

/** What a shell reads from and writes to. */
export interface ShellStreams {
  readonly stdin: Readable & TerminalInput;
  readonly stdout: TerminalScreen & { readonly isTTY?: boolean | undefined; write(bytes: Uint8Array | string): unknown };
  readonly stderr: { write(bytes: Uint8Array | string): unknown };
}

export interface ShellRequest {
  /** `/lease/7/1/1/shell?…`. */
  readonly target: string;
  readonly isTerminal: boolean;
}

export type ShellResult = Extract<ShellFrame, { kind: 'result' }>;

/** A gateway takes no larger messages for granted. */
const chunkBytes = 32 * 1024;

/** Runs a command at a gateway with the streams of this process, and tells how it ended. */
export async function runShell(
  client: GatewayClient,
  { target, isTerminal }: ShellRequest,
  { stdin, stdout, stderr }: ShellStreams,
  signal: AbortSignal,
): Promise<ShellResult> {
  let stream: GatewayStream | undefined;
  let result: ShellResult | undefined;
  let failure: string | undefined;
  const take = (message: Buffer): void => {
    const frame = readFrame(message);
    if (frame?.kind === 'stdout') stdout.write(frame.bytes);
    else if (frame?.kind === 'stderr') stderr.write(frame.bytes);
    else if (frame?.kind === 'failure') failure = frame.message;
    else if (frame?.kind === 'result') {
      result = frame;
      stream?.close();
    }
  };
  const session = async (): Promise<ShellResult> => {
    stream = await client.stream(target, take, signal);
    const send = (bytes: Uint8Array): Promise<void> => stream?.send(bytes) ?? Promise.resolve();
    const stopSize = isTerminal ? followSize(stdout, (size) => void send(resizeFrame(size))) : undefined;
    const stopInput = passOn(stdin, send);
    if (result !== undefined) stream.close();
    try {
      const end = await stream.ended;
      if (result !== undefined) return result;
      signal.throwIfAborted();
      if (failure !== undefined) throw new StatusError('unavailable', `the gateway could not run it: ${failure}`);
      throw endFailure(end) ?? new StatusError('unavailable', 'the gateway ended the shell without the exit code of the command');
    } finally {
      stopInput();
      stopSize?.();
    }
  };
  return isTerminal ? await withRawTerminal(stdin, stdout, session) : await session();
}

/** Sends what is read, as fast as the connection takes it. What is returned ends that, so that the process need not wait for input. */
function passOn(stdin: Readable, send: GatewayStream['send']): () => void {
  let isOver = false;
  let sent = Promise.resolve();
  const onData = async (data: Buffer): Promise<void> => {
    stdin.pause();
    sent = sendAll(data, send);
    await sent;
    if (!isOver) stdin.resume();
  };
  const take = (data: Buffer): void => void onData(data);
  // The end is told also while nothing is to be read.
  const onEnd = (): void => void sent.then(() => send(stdinFrame(new Uint8Array())));
  stdin.on('data', take).on('end', onEnd);
  return () => {
    isOver = true;
    stdin.off('data', take).off('end', onEnd).pause();
  };
}

async function sendAll(data: Buffer, send: GatewayStream['send']): Promise<void> {
  for (let at = 0; at < data.length; at += chunkBytes) await send(stdinFrame(data.subarray(at, at + chunkBytes)));
}
