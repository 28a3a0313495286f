import type { Duplex } from 'node:stream';
import { messageOf } from '@quartermaster/kernel';
import { createWebSocketStream, type RawData, type WebSocket } from 'ws';
import { bytesOf } from './channel-socket.ts';
import { SpdySession } from './spdy-session.ts';

/** SPDY inside a WebSocket: what kubectl asks for first. */
const tunnelProtocol = 'SPDY/3.1+portforward.k8s.io';
/** Two channels for each port, data and errors. */
export const forwardProtocols = [tunnelProtocol, 'v4.channel.k8s.io'] as const;
/** What kubectl falls back to: SPDY on the connection itself. */
export const spdyUpgrade = 'SPDY/3.1';

/** Opens a connection to a port of the pod. Throws when nobody listens there. */
export type ConnectPort = (port: number) => Duplex;

/** Forwards ports over a WebSocket in whichever protocol was agreed upon. */
export function forwardOverWebSocket(socket: WebSocket, ports: readonly number[], connect: ConnectPort): void {
  if (socket.protocol === tunnelProtocol) {
    const stream = createWebSocketStream(socket);
    stream.on('error', () => stream.destroy());
    forwardOverSpdy(stream, connect);
  } else forwardOverChannels(socket, ports, connect);
}

/**
 * Over SPDY the client opens two streams for each connection, one for data and one for errors, which name the port and a request in
 * their headers. It goes on for as long as the connection lasts.
 */
export function forwardOverSpdy(socket: Duplex, connect: ConnectPort): void {
  const waiting = new Map<string, Duplex>(); // request -> its error stream, which comes first
  const session = new SpdySession(socket, ({ headers, body }) => {
    const request = headers.get('requestid') ?? '';
    if (headers.get('streamtype') === 'error') {
      waiting.set(request, body);
      body.resume();
      body.once('close', () => waiting.delete(request));
      return;
    }
    const errors = waiting.get(request);
    waiting.delete(request);
    if (errors === undefined) body.destroy();
    else join(body, errors, Number(headers.get('port')), connect);
  });
  void session.run();
}

function join(data: Duplex, errors: Duplex, port: number, connect: ConnectPort): void {
  try {
    const pod = connect(port);
    data.pipe(pod).pipe(data);
    pod.once('close', () => errors.end());
    data.once('close', () => pod.destroy());
  } catch (error) {
    data.resume();
    data.end();
    errors.end(`error forwarding port ${port}: ${messageOf(error)}`);
  }
}

/** The n-th port has channel 2n for data and 2n + 1 for errors; each begins with the port's number. */
function forwardOverChannels(socket: WebSocket, ports: readonly number[], connect: ConnectPort): void {
  const opened = new Map<number, Duplex>(); // data channel -> the pod's end
  const send = (channel: number, data: Buffer): void => {
    if (socket.readyState === socket.OPEN) socket.send(Buffer.concat([Buffer.from([channel]), data]));
  };
  const closed = (channel: number): void => {
    opened.delete(channel);
    if (opened.size === 0) socket.close(1000);
  };
  for (const [i, port] of ports.entries()) {
    const number = Buffer.alloc(2);
    number.writeUInt16LE(port);
    send(2 * i, number);
    send(2 * i + 1, number);
    try {
      const pod = connect(port);
      opened.set(2 * i, pod);
      pod.on('data', (chunk: Buffer) => send(2 * i, chunk));
      pod.once('close', () => closed(2 * i));
    } catch (error) {
      send(2 * i + 1, Buffer.from(`error forwarding port ${port}: ${messageOf(error)}`));
    }
  }
  if (opened.size === 0) socket.close(1000);
  socket.on('message', (message: RawData) => {
    const bytes = bytesOf(message);
    opened.get(bytes[0] ?? 255)?.write(bytes.subarray(1));
  });
  socket.once('close', () => {
    for (const pod of opened.values()) pod.destroy();
  });
}
