import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog, systemClock } from '@quartermaster/kernel';
import { openDatabase } from '@quartermaster/store';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { EmbeddedServers } from './embedded-servers.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'embedded-servers-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

it('starts a server again on a directory whose server is still being stopped', async () => {
  const servers = new EmbeddedServers();
  const open = (database: string) => servers.open({ directory: join(directory, 'postgres'), database, clock: systemClock, log: silentLog });
  const first = await open('one');
  const stopping = first.close();
  const [second, third] = await Promise.all([open('one'), open('two')]);
  await stopping;
  await second.close();
  const database = openDatabase({ url: { reveal: () => third.url }, log: silentLog });
  expect(await database.query({ name: 'one', text: 'select 1 as one' })).toEqual([{ one: 1 }]);
  await database.close();
  await third.close();
});
