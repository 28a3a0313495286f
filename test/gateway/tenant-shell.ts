import { Leases } from '@quartermaster/api/market';
import type { TestMarket } from '@quartermaster/market/testing';
import { Agent, WebSocket } from 'undici';
import { vi } from 'vitest';
import { patience } from '../inventory/operator-cluster.ts';
import { type Deployed, provider } from '../leases/running-leases.ts';

export interface ShellAsked {
  readonly service: string;
  readonly command: readonly string[];
  readonly stdin?: boolean | undefined;
}

/** What became of a shell. */
export interface ShellEnd {
  readonly code: number;
  readonly reason: string;
}

const [stdoutByte, resultByte, stdinByte] = [100, 102, 104];
const tokenSeconds = 86_000n;

/** A shell that a tenant opens as its market tells it to. */
export class TenantShell {
  readonly ended: Promise<ShellEnd>;
  /** Resolves with the first frame of whatever kind; once it ended, at the latest. */
  readonly began: Promise<void>;
  readonly #frames: Buffer[] = [];
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    const [began, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<ShellEnd>()];
    this.began = began.promise;
    this.ended = ended.promise;
    socket.addEventListener('message', ({ data }) => {
      this.#frames.push(Buffer.from(data as ArrayBuffer));
      began.resolve();
    });
    socket.addEventListener('close', ({ code, reason }) => {
      ended.resolve({ code, reason });
      began.resolve();
    });
  }

  static async open(
    market: TestMarket,
    { id, owner, order }: Deployed,
    { service, command, stdin = false }: ShellAsked,
  ): Promise<TenantShell> {
    const { token, gateway } = await vi.waitFor(async () => {
      const asked = { id: `${id}-1-1-${provider}`, scopes: ['shell'], lifetime: { seconds: tokenSeconds } };
      const answer = await market.tenant(owner).client(Leases).createToken(asked);
      if (answer.gateway === undefined) throw new Error(`the market does not know where the gateway of ${id} is`);
      return { token: answer.token, gateway: answer.gateway };
    }, patience);
    const query = new URLSearchParams({ service, podIndex: '0', tty: '0', stdin: stdin ? '1' : '0' });
    for (const [index, word] of command.entries()) query.set(`cmd${index}`, word);
    const url = `${gateway.uri.replace('https', 'wss')}/lease/${order.dseq}/${order.gseq}/${order.oseq}/shell?${query.toString()}`;
    const dispatcher = new Agent({ connect: { ca: gateway.certificateAuthority } });
    const socket = new WebSocket(url, { dispatcher, headers: { authorization: `Bearer ${token}` } });
    const shell = new TenantShell(socket);
    void shell.ended.then(() => dispatcher.destroy());
    return shell;
  }

  get isOver(): boolean {
    return this.#socket.readyState === WebSocket.CLOSED;
  }

  /** How many frames came. */
  get frames(): number {
    return this.#frames.length;
  }

  get output(): string {
    return this.#of(stdoutByte);
  }

  get exitCode(): unknown {
    return (JSON.parse(this.#of(resultByte)) as { readonly exit_code?: unknown }).exit_code;
  }

  /** The last of its input. */
  type(text: string): void {
    this.send(Buffer.concat([Buffer.of(stdinByte), Buffer.from(text)]));
    this.send(Buffer.of(stdinByte));
  }

  /** A frame as it is; nothing once it is over. */
  send(frame: Uint8Array): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(frame);
  }

  close(): void {
    this.#socket.close();
  }

  #of(kind: number): string {
    return Buffer.concat(this.#frames.filter((frame) => frame[0] === kind).map((frame) => frame.subarray(1))).toString();
  }
}
