import type { Clock } from '@quartermaster/kernel';
import type { WebSocket } from 'ws';

const pingMs = 10_000;
/** A pong comes within 15 s. */
const silentMs = 25_000;

/** Pings until the WebSocket closes, and cuts one that is silent. While it is not read, nothing can be heard of it. */
export function keepAlive(socket: WebSocket, clock: Clock, pinging: () => void = () => {}): void {
  let heardAt = clock.monotonic();
  const hear = (): void => {
    heardAt = clock.monotonic();
  };
  for (const event of ['message', 'ping', 'pong'] as const) socket.on(event, hear);
  const tick = (): void => {
    if (socket.isPaused) hear();
    if (clock.monotonic() - heardAt > silentMs) return socket.terminate();
    socket.ping();
    pinging();
    cancel = clock.schedule(pingMs, tick);
  };
  let cancel = clock.schedule(pingMs, tick);
  socket.once('close', () => cancel());
}
