import { createServer } from 'node:net';
import { silentLog } from '@quartermaster/kernel';
import { expect, it, onTestFinished } from 'vitest';
import { failureOf } from '../test/failure-of.ts';
import { openDatabase } from './open-database.ts';

/** A message of the protocol: its kind, its length, and what it says. */
function message(kind: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(kind);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

it('outlives a server that dies in the moment in which a connection is ready', async () => {
  const welcome = [message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))];
  const lastWords = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0'));
  // All in one piece: whoever waits for the connection has not heard of it when the words come.
  const server = createServer((socket) => socket.once('data', () => socket.end(Buffer.concat([...welcome, lastWords]))));
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const database = openDatabase({ url: `postgres://anybody:nothing@127.0.0.1:${port}/none?sslmode=disable`, log: silentLog });
  expect(await failureOf(database.query({ text: 'select' }))).toMatchObject({ code: 'unavailable' });
  await database.close();
});
