import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { codeOf, silentLog } from '@quartermaster/kernel';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTables, follow, readUntil, testDatabase, testFeed, touch } from '../../test/feed-fixture.ts';
import { until } from '../../test/until.ts';
import { processIdentity } from './process-identity.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './start-embedded-postgres.ts';

let home: string;
let directory: string;
const running = new Set<EmbeddedPostgres>();

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'embedded-'));
  // As a home directory is: nobody else may enter.
  await chmod(home, 0o700);
  directory = join(home, 'state/postgres');
});
afterEach(async () => {
  for (const server of running) await server.stop();
  running.clear();
  await rm(home, { recursive: true, force: true });
});

/** Killing a process needs no durability: what the server wrote is with the operating system. */
async function start({ isDurable = false } = {}): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ directory, log: silentLog, isDurable });
  running.add(server);
  return server;
}

async function stop(server: EmbeddedPostgres): Promise<void> {
  running.delete(server);
  await server.stop();
}

async function query(server: EmbeddedPostgres, text: string): Promise<readonly object[]> {
  const client = new pg.Client({ connectionString: server.url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<object>(text)).rows;
  } finally {
    await client.end();
  }
}

describe('startEmbeddedPostgres', () => {
  it('runs a server below folders that only we can enter, and keeps its data and URL', async () => {
    const first = await start({ isDurable: true });
    await query(first, "create table kept as select 'ä' as word");
    expect(await query(first, 'show fsync')).toEqual([{ fsync: 'on' }]);
    expect(await query(first, "select 'b' < 'a' collate \"default\" as x, 'Z' < 'a' as code_points, upper('ä') as upper")).toEqual([
      { x: false, code_points: true, upper: 'Ä' },
    ]);
    await stop(first);
    const second = await start();
    expect(second.url).toBe(first.url);
    expect(await query(second, 'select word from kept')).toEqual([{ word: 'ä' }]);
  });

  it('takes nobody in without its password, which only we can read', async () => {
    const server = await start();
    expect((await stat(join(directory, 'password'))).mode & 0o777).toBe(0o600);
    expect((await stat(directory)).mode & 0o077).toBe(0);
    const url = new URL(server.url);
    expect(url.hostname).toBe('127.0.0.1');
    url.password = 'wrong';
    const stranger = new pg.Client({ connectionString: url.href });
    await expect(stranger.connect()).rejects.toMatchObject({ code: '28P01' });
  });

  it('refuses a second server on the same data', async () => {
    const server = await start();
    await expect(startEmbeddedPostgres({ directory, log: silentLog })).rejects.toMatchObject({ code: 'failed_precondition' });
    expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('starts the server again when it was killed, on the same port and with everything that was committed', async () => {
    const server = await start();
    await query(server, 'create table kept as select 1 as one');
    const killed = pidOf(server);
    process.kill(killed, 'SIGKILL');
    await until(() => {
      expect(server.pid).toBeDefined();
      expect(server.pid).not.toBe(killed);
    });
    expect(await query(server, 'select one from kept')).toEqual([{ one: 1 }]);
  });

  it('loses no change and no order when the server is killed in the middle of writing', async () => {
    const server = await start({ isDurable: true });
    await createTables(server.url);
    const database = testDatabase(server.url);
    const feed = testFeed(database);
    feed.start();
    const { items } = await follow(feed);
    const reached = new Map<string, bigint>();
    let isKilled = false;
    const writer = async (id: string): Promise<void> => {
      for (let done = 0; done < 25; ) {
        try {
          reached.set(id, (await touch(database, [id])).get(id) ?? 0n);
          feed.wake();
          done += 1;
          if (done === 12 && !isKilled) {
            isKilled = true;
            process.kill(pidOf(server), 'SIGKILL');
          }
        } catch (thrown) {
          if (codeOf(thrown) !== 'unavailable') throw thrown;
          await until(() => expect(database.isReachable()).toBe(true));
        }
      }
    };
    const ids = ['a', 'b', 'c', 'd'];
    await Promise.all(ids.map(writer));
    expect(isKilled).toBe(true);
    const total = [...reached.values()].reduce((sum, version) => sum + Number(version), 0);
    const changes = await readUntil(items, (read) => read.length === total);
    for (const id of ids) {
      const versions = changes.filter((change) => change.objectId === id).map((change) => Number(change.version));
      expect(versions).toEqual(Array.from({ length: Number(reached.get(id)) }, (_, index) => index + 1));
    }
    await feed.stop();
    await database.close();
  });

  it('ends with the process that started it, however that ends', async () => {
    const { pid, owner } = await startElsewhere();
    process.kill(owner, 'SIGKILL');
    await until(() => expect(processIdentity(pid)).toBeUndefined());
    const next = await start();
    expect(await query(next, 'select one from kept')).toEqual([{ one: 1 }]);
  });

  it('takes over from a process that died and left the server running', async () => {
    const { pid, owner, guard } = await startElsewhere();
    process.kill(guard, 'SIGKILL');
    process.kill(owner, 'SIGKILL');
    await until(() => expect(processIdentity(owner)).toBeUndefined());
    expect(processIdentity(pid)).toBeDefined();
    const next = await start();
    expect(processIdentity(pid)).toBeUndefined();
    expect(await query(next, 'select one from kept')).toEqual([{ one: 1 }]);
  });

  it('starts although the number of a server that died went to another program', async () => {
    await stop(await start());
    await writeFile(join(directory, 'data/postmaster.pid'), `${process.pid}\n`);
    const server = await start();
    expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('throws away what a death in the middle of the first start left', async () => {
    await mkdir(join(directory, 'data.new/base'), { recursive: true });
    const server = await start();
    expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('refuses data of another major version and says what to do', async () => {
    await stop(await start());
    await writeFile(join(directory, 'data/PG_VERSION'), '9\n');
    await expect(start()).rejects.toMatchObject({ code: 'failed_precondition', message: expect.stringContaining('dump it') });
  });

  it('takes another port when its own is taken', async () => {
    const first = await start();
    await stop(first);
    const { port } = new URL(first.url);
    const thief = createServer().listen(Number(port), '127.0.0.1');
    await once(thief, 'listening');
    const second = await start();
    expect(new URL(second.url).port).not.toBe(port);
    thief.close();
  });

  it('logs no statement and no value of it', async () => {
    const lines: string[] = [];
    const record = (message: string, fields?: unknown): void => {
      lines.push(message, JSON.stringify(fields));
    };
    const server = await startEmbeddedPostgres({
      directory,
      isDurable: false,
      log: { debug: record, info: record, warn: record, error: record },
    });
    running.add(server);
    await query(server, 'create table t (a int check (a < 5))');
    for (const text of ["insert into t values ('canary')", 'insert into t values (4711)', 'select canary from t']) {
      await query(server, text).catch(() => {});
    }
    await stop(server);
    expect(lines.join('\n')).toContain('ready to accept connections');
    expect(lines.join('\n')).not.toMatch(/canary|4711/);
  });
});

/** A process of its own that starts a server with a table in it, and then does nothing. */
async function startElsewhere(): Promise<{ readonly owner: number; readonly pid: number; readonly guard: number }> {
  const program = `
    import { startEmbeddedPostgres } from ${JSON.stringify(join(import.meta.dirname, 'index.ts'))};
    import { silentLog } from '@quartermaster/kernel';
    import pg from 'pg';
    const server = await startEmbeddedPostgres({ directory: ${JSON.stringify(directory)}, log: silentLog });
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query('create table kept as select 1 as one');
    console.log(server.pid);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const pid = Number(line);
  const owner = pidOf(child);
  const children = (await readFile(`/proc/${owner}/task/${owner}/children`, 'utf8')).trim().split(' ').map(Number);
  return { owner, pid, guard: pidOf({ pid: children.find((each) => each !== pid) }) };
}

/** Without a number nothing may be killed: 0 would be this process and all that belong to it. */
function pidOf({ pid }: { readonly pid?: number | undefined }): number {
  if (pid === undefined) throw new Error('it does not run');
  return pid;
}
