import type { Clock } from '@quartermaster/kernel';
import type { WebSocket } from 'ws';
import { closeCodes } from '../../gateway-view.ts';
import { type Close, closeOf, passedOn } from './close-of.ts';
import { keepAlive } from './keep-alive.ts';

export interface RelayOptions {
  readonly browser: WebSocket;
  readonly gateway: WebSocket;
  readonly clock: Clock;
  /** Its reason is told to the browser. */
  readonly signal: AbortSignal;
}

/** What may be on its way to one side, or wait there to be taken, before the other side is not read any further. */
const mostAhead = 512 * 1024;

/**
 * Passes on what a browser and a gateway say, as `gateway-view.ts` has it, until either of them ends it, which the other one is told, or the signal aborts.
 * Both begin unread. A side that does not keep up slows down the other one; nothing is kept here. Resolves when both are closed.
 */
export async function relay({ browser, gateway, clock, signal }: RelayOptions): Promise<void> {
  let untaken = 0;
  const isOpen = (): boolean => browser.readyState === browser.OPEN && gateway.readyState === gateway.OPEN;
  // What closes is read to its end.
  const readGateway = (): void =>
    isOpen() && (browser.bufferedAmount > mostAhead || untaken > mostAhead) ? gateway.pause() : gateway.resume();
  const readBrowser = (): void => (isOpen() && gateway.bufferedAmount > mostAhead ? browser.pause() : browser.resume());
  gateway.on('message', (data: Buffer, isBinary) => {
    untaken += data.length;
    browser.send(data, { binary: isBinary }, readGateway);
    readGateway();
  });
  browser.on('message', (data: Buffer, isBinary) => {
    if (isBinary) {
      gateway.send(data, readBrowser);
      return readBrowser();
    }
    // What is no number frees nothing: whoever sent it waits for itself.
    untaken = Math.max(0, untaken - (Math.max(0, Number(data.toString())) || 0));
    readGateway();
  });
  const close = (how: Close): void => {
    browser.close(how.code, how.reason);
    gateway.close(closeCodes.done);
    readGateway();
    readBrowser();
  };
  const end = (): void => close(closeOf(signal.reason));
  const bothClosed = Promise.all([closed(browser).then(close), closed(gateway).then(close)]);
  keepAlive(browser, clock, () => browser.bufferedAmount === 0 && browser.send(''));
  keepAlive(gateway, clock);
  signal.addEventListener('abort', end, { once: true });
  readGateway();
  readBrowser();
  if (signal.aborted) end();
  await bothClosed;
  signal.removeEventListener('abort', end);
}

async function closed(socket: WebSocket): Promise<Close> {
  // A close follows every error.
  socket.on('error', () => {});
  return await new Promise((resolve) => {
    socket.once('close', (code, reason) => resolve(passedOn(code, reason)));
  });
}
