import { once } from 'node:events';
import { createServer } from 'node:net';
import { StatusError } from '@quartermaster/kernel';
import { hasCode } from '../files/file-problem.ts';

/** Whether a port of 127.0.0.1 could be had a moment ago. */
export async function isPortFree(port: number): Promise<boolean> {
  try {
    await tryPort(port);
    return true;
  } catch {
    return false;
  }
}

/**
 * Says before anything is started whether the console will get its port. Somebody may still take it before the console does, which
 * then says the same.
 */
export async function checkPort(port: number): Promise<void> {
  try {
    await tryPort(port);
  } catch (error) {
    if (hasCode(error, 'EADDRINUSE')) {
      throw new StatusError('failed_precondition', `port ${port} is in use: stop what listens there, or give another one with --port PORT`);
    }
    if (hasCode(error, 'EACCES')) {
      throw new StatusError('permission_denied', `port ${port} is reserved for the administrator: give one above 1023 with --port PORT`);
    }
    throw error;
  }
}

async function tryPort(port: number): Promise<void> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}
