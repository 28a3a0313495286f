import type { Duplex } from 'node:stream';
import { messageOf } from '@quartermaster/kernel';
import type { RawData, WebSocket } from 'ws';
import { bytesOf } from './channel-socket.ts';

/**
 * Forwards ports of a pod over a WebSocket: the n-th port has channel 2n for data and 2n + 1 for errors, and each begins with the port's
 * number. `connect` throws when nobody listens on a port.
 */
export function forwardPorts(socket: WebSocket, ports: readonly number[], connect: (port: number) => Duplex): void {
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
