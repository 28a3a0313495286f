import { closeCodes, keyProtocol, type StreamKind, streamPath, streamProtocol } from '../../gateway-view.ts';
import { renewSession } from '../api/renew-session.ts';
import { ownKey } from '../session/own-key.ts';
import { StreamEnd } from './close-words.ts';

export interface StreamAsked {
  readonly lease: string;
  readonly kind: StreamKind;
  /** As the provider's gateway has it: what is undefined is left out. */
  readonly query: Readonly<Record<string, string | number | boolean | undefined>>;
}

/** Nothing is told any more after `ended`, or once the stream was closed. */
export interface StreamEvents {
  readonly opened: () => void;
  /** A text frame; empty: the connection lives. */
  readonly text?: (text: string) => void;
  /** A binary frame. No more than a few come before `taken` was called for them. */
  readonly bytes?: (bytes: Uint8Array, taken: () => void) => void;
  readonly ended: (end: StreamEnd) => void;
}

export interface OpenedStream {
  /** Nothing happens while it is not open. */
  readonly send: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly close: () => void;
}

/** The console waits at eight times as much. */
const tellTakenBytes = 64 * 1024;

const encoder = new TextEncoder();

/** Opens a stream of a lease through the console. */
export function openStream({ lease, kind, query }: StreamAsked, on: StreamEvents): OpenedStream {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  const url = `${window.location.origin.replace(/^http/, 'ws')}${streamPath(encodeURIComponent(lease), kind)}?${text}`;
  const socket = new WebSocket(url, [streamProtocol, keyProtocol + (ownKey.current ?? '')]);
  socket.binaryType = 'arraybuffer';
  let openedAt: number | undefined;
  let taken = 0;
  let isOver = false;
  const take = (bytes: number): void => {
    taken += bytes;
    if (taken < tellTakenBytes || socket.readyState !== WebSocket.OPEN) return;
    socket.send(String(taken));
    taken = 0;
  };
  socket.addEventListener('open', () => {
    openedAt = performance.now();
    if (!isOver) on.opened();
  });
  socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
    if (isOver) return;
    if (typeof data === 'string') {
      on.text?.(data);
      take(encoder.encode(data).length);
    } else on.bytes?.(new Uint8Array(data), () => take(data.byteLength));
  });
  socket.addEventListener('close', ({ code, reason }) => {
    if (isOver) return;
    isOver = true;
    // What a browser is refused it is not told: a session that ended is found out so.
    if (openedAt === undefined || code === closeCodes.ended) void renewSession();
    on.ended(new StreamEnd({ code, reason, openMs: openedAt === undefined ? 0 : performance.now() - openedAt }));
  });
  return {
    send: (bytes) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(bytes);
    },
    close: () => {
      isOver = true;
      socket.close();
    },
  };
}
