import type { RawData, WebSocket } from 'ws';
import type { CommandTerminal } from '../kubelet/image-registry.ts';
import type { TerminalLine } from '../kubelet/terminal.ts';

/** Sub-protocols of Kubernetes that put a channel number in front of every binary message. The newest comes first. */
export const channelProtocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const;

const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

const maxFrameBytes = 32 * 1024;
/** Input beyond this is left in the connection until the command has read. */
const readAheadBytes = 64 * 1024;

/** The server's side of an exec stream: what came in on stdin, and ways to answer. */
export class ChannelSocket implements TerminalLine {
  readonly #socket: WebSocket;
  readonly #input: Buffer[] = [];
  #inputBytes = 0;
  #inputEnded: boolean;
  #size = { width: 80, height: 24 };
  #wake: () => void = () => {};

  constructor(socket: WebSocket, { hasInput }: { readonly hasInput: boolean }) {
    this.#socket = socket;
    this.#inputEnded = !hasInput;
    socket.on('message', (data) => this.#received(bytesOf(data)));
    socket.on('close', () => this.#endInput());
    socket.on('error', () => this.#endInput());
  }

  /** As the client last told. */
  get size(): CommandTerminal['size'] {
    return this.#size;
  }

  /** Undefined once the client has closed its input, which only the newest protocol can say, or the whole stream. */
  async read(): Promise<Buffer | undefined> {
    for (;;) {
      const chunk = this.#input.shift();
      if (chunk !== undefined) {
        this.#inputBytes -= chunk.length;
        if (this.#input.length === 0) this.#socket.resume();
        return chunk;
      }
      if (this.#inputEnded) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Resolves when the connection takes more, and rejects when it is gone. */
  async write(output: string | Uint8Array, to: 'stdout' | 'stderr' = 'stdout'): Promise<void> {
    const bytes = Buffer.from(output);
    for (let start = 0; start < bytes.length; start += maxFrameBytes) {
      await this.#send(channels[to], bytes.subarray(start, start + maxFrameBytes));
    }
  }

  /** Tells how the command ended and closes the stream. */
  end(exitCode: number): void {
    const status =
      exitCode === 0
        ? { metadata: {}, status: 'Success' }
        : {
            metadata: {},
            status: 'Failure',
            message: `command terminated with non-zero exit code: exit status ${exitCode}`,
            reason: 'NonZeroExitCode',
            details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
          };
    this.#send(channels.error, Buffer.from(JSON.stringify(status))).catch(() => {});
    this.#socket.close(1000);
  }

  #send(channel: number, bytes: Uint8Array): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#socket.send(Buffer.concat([Buffer.of(channel), bytes]), (error) => (error ? reject(error) : resolve()));
    return promise;
  }

  #received(message: Buffer): void {
    if (message[0] === channels.stdin) this.#keep(message.subarray(1));
    else if (message[0] === channels.close && message[1] === channels.stdin) this.#endInput();
    else if (message[0] === channels.resize) this.#resize(message.subarray(1));
  }

  #keep(input: Buffer): void {
    if (this.#inputEnded) return;
    this.#input.push(input);
    this.#inputBytes += input.length;
    if (this.#inputBytes >= readAheadBytes) this.#socket.pause();
    this.#wake();
  }

  #resize(bytes: Buffer): void {
    try {
      const { Width, Height } = JSON.parse(bytes.toString('utf8')) as Readonly<Record<string, unknown>>;
      this.#size = { width: Number(Width), height: Number(Height) };
    } catch {
      // A size that is none changes nothing.
    }
  }

  #endInput(): void {
    this.#inputEnded = true;
    this.#wake();
  }
}

export function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
