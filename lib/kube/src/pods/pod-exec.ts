/**
 * Commands in containers over a WebSocket, whose binary frames begin with the number of a channel:
 *
 *   0 input, 1 output, 2 errors    bytes
 *   3 result                       a Status; an exit code is a cause of a failed one
 *   4 size of the terminal         JSON
 *   255 end of a channel           its number; known to v5 of the protocol alone
 */
import type { RequestOptions } from 'node:https';
import { StatusError } from '@quartermaster/kernel';
import type WebSocket from 'ws';
import type { KubeClient } from '../client/client.ts';
import { kinds } from '../generated/kinds.ts';
import type { ObjectRef } from '../objects/objects.ts';
import { describeRef, objectPath } from '../objects/resource-path.ts';
import { isFailure, type KubeFailure } from '../transport/failure.ts';
import { connectionError, errorFromAnswer, type KubeStatus, readStatus } from '../transport/failure-from-answer.ts';

export interface PodExecOptions {
  /** Needed when the pod has several. */
  readonly container?: string | undefined;
  readonly command: readonly string[];
  /** A terminal has one output: what the command says on stderr comes as stdout. */
  readonly tty: boolean;
  /** Whether the command gets an input at all. */
  readonly stdin: boolean;
  /** Ends the stream and with it the command. */
  readonly signal: AbortSignal;
}

export interface ExecOutput {
  readonly channel: 'stdout' | 'stderr';
  readonly bytes: Uint8Array;
}

/** A command that runs in a container. */
export interface PodExec {
  /**
   * What the command writes, for one reader, as fast as it is read and no faster: the connection is not read while nobody takes it. Ends with the command, and
   * when the stream breaks, which `ended` tells.
   */
  readonly output: AsyncIterable<ExecOutput>;
  /**
   * The exit code; of a command that writes much, once that is taken. Rejects with a StatusError `unavailable` when the stream broke before the command ended
   * or was closed here, and with the signal's reason when that aborted.
   */
  readonly ended: Promise<number>;
  /** Resolves when the connection takes more. What is written after the end is dropped. */
  write(bytes: Uint8Array): Promise<void>;
  /** A server that does not speak v5 of the protocol cannot be told, and the input stays open. */
  endInput(): void;
  /** Of the terminal, in characters. */
  resize(size: { readonly width: number; readonly height: number }): void;
  /** Idempotent. The server ends the command, as when a terminal is closed. */
  close(): void;
}

const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
const channels = { stdin: 0, stdout: 1, stderr: 2, result: 3, resize: 4, end: 255 } as const;

/** How much is read ahead of who takes the output; what the connection had delivered by then comes on top. */
const readAheadBytes = 64 * 1024;
/** Kubelets send 32 KiB. */
const maxFrameBytes = 2 ** 20;
const handshakeTimeoutMs = 30_000;
/** A peer that is gone without a word is noticed by the system's own probes after this silence. */
const keepAliveMs = 30_000;

/** Starts a command in a container. Throws what the API server refuses it with: `not_found`, `permission_denied`, `invalid_argument`. */
export async function openExec(client: KubeClient, pod: ObjectRef, options: PodExecOptions): Promise<PodExec> {
  try {
    return await connect(client, pod, options);
  } catch (error) {
    if (!isFailure(error, 'unauthorized')) throw error;
    await client.transport.credentials.refresh();
    return await connect(client, pod, options);
  }
}

async function connect(client: KubeClient, pod: ObjectRef, options: PodExecOptions): Promise<PodExec> {
  const { credentials } = client.transport;
  const path = `${objectPath(kinds.pods, pod, 'exec')}?${queryOf(options).toString()}`;
  const { default: Socket } = await import('ws');
  const { origin, basePath } = await credentials.session();
  const identity: RequestOptions = {};
  await (await credentials.kubeConfig()).applyToHTTPSOptions(identity);
  options.signal.throwIfAborted();
  const socket = new Socket(`${origin.replace('http', 'ws')}${basePath}${path}`, protocols, {
    ...identity,
    handshakeTimeout: handshakeTimeoutMs,
    maxPayload: maxFrameBytes,
    perMessageDeflate: false,
  });
  const stream = new ExecStream(`exec in ${describeRef(kinds.pods, pod)}`, socket, options.signal);
  await stream.opened;
  return stream;
}

function queryOf({ container, command, tty, stdin }: PodExecOptions): URLSearchParams {
  const query = new URLSearchParams(command.map((word): [string, string] => ['command', word]));
  if (container !== undefined) query.set('container', container);
  const flags = { stdin, stdout: true, stderr: !tty, tty };
  for (const [name, value] of Object.entries(flags)) query.set(name, String(value));
  return query;
}

class ExecStream implements PodExec {
  readonly output: AsyncIterable<ExecOutput> = this.#read();
  readonly ended: Promise<number>;
  /** Rejects as `ended` does when it cannot be opened. */
  readonly opened: Promise<void>;
  readonly #what: string;
  readonly #socket: WebSocket;
  readonly #queue: ExecOutput[] = [];
  readonly #result = Promise.withResolvers<number>();
  #queuedBytes = 0;
  #isClosed = false;
  #failure: unknown;
  #wake: () => void = () => {};

  /** Listens at once: the first output may arrive together with the server's consent. */
  constructor(what: string, socket: WebSocket, signal: AbortSignal) {
    this.#what = what;
    this.#socket = socket;
    this.ended = this.#result.promise;
    const opening = Promise.withResolvers<void>();
    this.opened = opening.promise;
    this.ended.catch(opening.reject);
    const abort = (): void => this.#fail(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    socket.once('upgrade', (answer) => answer.socket.setKeepAlive(true, keepAliveMs));
    socket.once('open', opening.resolve);
    socket.once('unexpected-response', (_request, answer) => {
      const { statusCode = 500, headers } = answer;
      void readStatus(answer).then((status) => this.#fail(errorFromAnswer(what, statusCode, status, headers['retry-after'])));
    });
    socket.on('error', (error) => this.#fail(connectionError(what, error)));
    socket.on('message', (data) => this.#received(data as Buffer));
    socket.once('close', () => {
      signal.removeEventListener('abort', abort);
      this.#isClosed = true;
      this.#wake();
      this.#result.reject(this.#failure ?? brokenOff(what));
    });
  }

  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      this.#send(channels.stdin, bytes, resolve);
    });
  }

  endInput(): void {
    if (this.#socket.protocol === protocols[0]) this.#send(channels.end, Buffer.of(channels.stdin));
  }

  resize({ width, height }: { readonly width: number; readonly height: number }): void {
    this.#send(channels.resize, Buffer.from(JSON.stringify({ Width: width, Height: height })));
  }

  close(): void {
    this.#socket.terminate();
  }

  async *#read(): AsyncGenerator<ExecOutput, void> {
    for (;;) {
      const next = this.#queue.shift();
      if (next !== undefined) {
        this.#queuedBytes -= next.bytes.length;
        yield next;
      } else if (this.#isClosed) {
        return;
      } else {
        this.#socket.resume();
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  #send(channel: number, bytes: Uint8Array, sent: () => void = () => {}): void {
    this.#socket.send(Buffer.concat([Buffer.of(channel), bytes]), () => sent());
  }

  #received(frame: Buffer): void {
    const bytes = frame.subarray(1);
    if (frame[0] === channels.result) this.#settle(bytes);
    else if (frame[0] === channels.stdout) this.#keep({ channel: 'stdout', bytes });
    else if (frame[0] === channels.stderr) this.#keep({ channel: 'stderr', bytes });
  }

  #keep(output: ExecOutput): void {
    // Servers begin with an empty frame.
    if (output.bytes.length === 0) return;
    this.#queue.push(output);
    this.#queuedBytes += output.bytes.length;
    if (this.#queuedBytes >= readAheadBytes) this.#socket.pause();
    this.#wake();
  }

  #settle(result: Buffer): void {
    try {
      this.#result.resolve(exitCodeOf(this.#what, JSON.parse(result.toString('utf8')) as ExecStatus));
    } catch (error) {
      this.#result.reject(error instanceof StatusError ? error : brokenOff(this.#what, error));
    }
    this.#socket.close();
  }

  #fail(failure: unknown): void {
    this.#failure ??= failure;
    this.#socket.terminate();
  }
}

interface ExecStatus extends KubeStatus {
  readonly status?: string;
}

function exitCodeOf(what: string, status: ExecStatus): number {
  if (status.status === 'Success') return 0;
  const exit = status.details?.causes?.find(({ reason }) => reason === 'ExitCode');
  if (exit?.message !== undefined) return Number(exit.message);
  throw errorFromAnswer(what, status.code ?? 500, { message: 'the command could not be started', ...status }, undefined);
}

function brokenOff(what: string, cause?: unknown): StatusError {
  const details: KubeFailure = { kind: 'connection', errno: undefined };
  return new StatusError('unavailable', `${what}: the stream ended before the command did`, { cause, details });
}
