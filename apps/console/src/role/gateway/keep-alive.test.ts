import { EventEmitter } from 'node:events';
import { FakeClock } from '@quartermaster/kernel';
import { expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { keepAlive } from './keep-alive.ts';

function fakeSocket() {
  const events = new EventEmitter();
  const seen = { pings: 0, cuts: 0, isPaused: false };
  const socket = Object.assign(events, {
    ping: () => void (seen.pings += 1),
    terminate: () => {
      seen.cuts += 1;
      events.emit('close');
    },
  });
  Object.defineProperty(socket, 'isPaused', { get: () => seen.isPaused });
  return { seen, events, socket: socket as unknown as WebSocket };
}

it('keeps a WebSocket whose other side answers, and cuts it once that is silent', async () => {
  const clock = new FakeClock();
  const { seen, events, socket } = fakeSocket();
  keepAlive(socket, clock);
  for (let round = 0; round < 6; round += 1) {
    await clock.advance(10_000);
    events.emit('pong');
  }
  expect(seen).toMatchObject({ pings: 6, cuts: 0 });
  await clock.advance(30_000);
  expect(seen).toMatchObject({ pings: 8, cuts: 1 });
  expect(clock.pendingTimers).toBe(0);
});

it('expects nothing of one that is not read', async () => {
  const clock = new FakeClock();
  const { seen, socket } = fakeSocket();
  seen.isPaused = true;
  keepAlive(socket, clock);
  await clock.advance(120_000);
  seen.isPaused = false;
  await clock.advance(20_000);
  expect(seen.cuts).toBe(0);
});
