import type { RawData, WebSocket } from 'ws';

/** Sub-protocols of Kubernetes that put a channel number in front of every binary message. The newest comes first. */
export const channelProtocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const;

const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, close: 255 } as const;

/** The server's side of an exec stream: what came in on stdin, and ways to answer. */
export class ChannelSocket {
  readonly #socket: WebSocket;
  readonly #input: Uint8Array[] = [];
  #inputEnded = false;
  #wake: () => void = () => {};

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => this.#received(bytesOf(data)));
    socket.on('close', () => this.#endInput());
    socket.on('error', () => this.#endInput());
  }

  /** Ends when the client closes its input, which only the newest protocol can say, or the whole stream. */
  async *stdin(): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const chunk = this.#input.shift();
      if (chunk !== undefined) yield chunk;
      else if (this.#inputEnded) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  write(stream: 'stdout' | 'stderr', text: string): void {
    if (text !== '') this.#send(channels[stream], text);
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
    this.#send(channels.error, JSON.stringify(status));
    this.#socket.close(1000);
  }

  #send(channel: number, text: string): void {
    this.#socket.send(Buffer.concat([Buffer.from([channel]), Buffer.from(text)]));
  }

  #received(message: Buffer): void {
    if (message[0] === channels.stdin) this.#input.push(message.subarray(1));
    else if (message[0] === channels.close && message[1] === channels.stdin) this.#inputEnded = true;
    else return;
    this.#wake();
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
