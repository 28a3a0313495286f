import { EventEmitter } from 'node:events';
import type { Socket } from '../src/gateway/streams/tenant-socket.ts';

/** A WebSocket to a tenant who reads what is let through, and says what a test has them say. */
export class FakeSocket extends EventEmitter {
  /** What was sent, in its order: texts and bytes. */
  readonly sent: (string | Uint8Array)[] = [];
  readonly pongs: string[] = [];
  pings = 0;
  closed: { readonly code: number | undefined; readonly reason: string } | undefined;
  isTerminated = false;
  isPaused = false;
  bufferedAmount = 0;
  /** While false, what is sent stays on its way. */
  isReading = true;
  readonly #unread: (readonly [bytes: number, sent: () => void])[] = [];

  /** As what a `TenantSocket` takes. */
  get socket(): Socket {
    return this as unknown as Socket;
  }

  /** As JSON. */
  get said(): readonly unknown[] {
    return this.sent.map((each) => JSON.parse(String(each)) as unknown);
  }

  send(data: string | Uint8Array, sent: () => void): void {
    this.sent.push(data);
    const bytes = Buffer.byteLength(data);
    this.bufferedAmount += bytes;
    this.#unread.push([bytes, sent]);
    if (this.isReading) this.read();
  }

  /** The tenant takes what was sent; the first of it, or all. */
  read(count = this.#unread.length): void {
    for (const [bytes, sent] of this.#unread.splice(0, count)) {
      this.bufferedAmount -= bytes;
      queueMicrotask(sent);
    }
  }

  says(data: string | Uint8Array): void {
    this.emit('message', Buffer.from(data), typeof data !== 'string');
  }

  ping(): void {
    this.pings += 1;
  }

  pong(data: Buffer): void {
    this.pongs.push(data.toString());
  }

  close(code?: number, reason = ''): void {
    this.closed ??= { code, reason };
  }

  terminate(): void {
    this.isTerminated = true;
    this.emit('close');
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }
}
