import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Random } from '@quartermaster/kernel';

/**
 * Ports below those that systems give to outgoing connections (from 32768 on Linux). A server that is killed and
 * started again must find its port free, and a client that keeps connecting to it meanwhile could otherwise be given
 * the very port as its own and connect to itself.
 */
const lowest = 15_000;
const highest = 32_000;

/** Different ports of 127.0.0.1 that nobody listened on a moment ago. Another process may still take one first. */
export async function freePorts(count: number, random: Random): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = lowest + Math.floor(random.next() * (highest - lowest));
    if (!ports.has(port) && (await isFree(port))) ports.add(port);
  }
  return [...ports];
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
