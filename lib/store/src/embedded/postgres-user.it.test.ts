import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MachineWithoutAccounts, machineWithoutAccounts } from '../../test/machine-without-accounts.ts';

const nobody = 65_534;

interface Visit {
  /** What the table has that the first visit made. */
  readonly kept: readonly object[];
  readonly logged: readonly string[];
  readonly uid: number;
  /** What a process of `nobody` gets of the data, by way of the process that has them open. */
  readonly stranger: string;
}

describe('the account of an embedded PostgreSQL that root starts, on a machine without any for it', () => {
  let home: string;
  let machine: MachineWithoutAccounts;

  beforeEach(async () => {
    if (process.getuid?.() !== 0) throw new Error('this test is about root: run it as root');
    home = await mkdtemp(join(tmpdir(), 'postgres-user-'));
    machine = await machineWithoutAccounts(join(home, 'etc'));
  });
  afterEach(async () => {
    await rm(home, { recursive: true, force: true });
  });

  /** Starts the server, looks at it, and stops it. */
  async function visit(options: { readonly hasUseradd?: boolean } = {}): Promise<Visit> {
    const program = `
      import { startEmbeddedPostgres } from ${JSON.stringify(join(import.meta.dirname, 'index.ts'))};
      import pg from 'pg';
      const logged = [];
      const record = (message) => logged.push(message);
      const log = { debug() {}, info: record, warn: record, error: record };
      const server = await startEmbeddedPostgres({ directory: ${JSON.stringify(join(home, 'postgres'))}, log, isDurable: false });
      const client = new pg.Client({ connectionString: server.url });
      await client.connect();
      await client.query('create table if not exists kept as select 1 as one');
      const { rows: kept } = await client.query('select one from kept');
      await client.end();
      console.log(JSON.stringify({ pid: server.pid, kept, logged }));
      process.stdin.resume().once('end', () => server.stop());`;
    const [command, ...args] = machine.running([process.execPath, '--input-type=module', '-e', program], options);
    const child = spawn(command, args, { cwd: import.meta.dirname, stdio: ['pipe', 'pipe', 'pipe'] });
    const exit = once(child, 'exit');
    const errors = text(child.stderr);
    const line = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>;
    const ended = exit.then(async () => {
      throw new Error(`it ended before it was ready: ${await errors}`);
    });
    ended.catch(() => {});
    const [said] = await Promise.race([line, ended]);
    const { pid, kept, logged } = JSON.parse(said) as { pid: number; kept: object[]; logged: string[] };
    const { uid } = await stat(`/proc/${pid}`);
    const stranger = await asNobody('cat', `/proc/${pid}/cwd/PG_VERSION`);
    child.stdin.end();
    await exit;
    return { kept, logged, uid, stranger };
  }

  async function ownersOfData(): Promise<ReadonlySet<number>> {
    const data = join(home, 'postgres/data');
    const entries = await readdir(data, { recursive: true });
    return new Set(await Promise.all(['', ...entries].map(async (entry) => (await stat(join(data, entry))).uid)));
  }

  const accounts = (etc: string): Promise<string> => readFile(join(etc, 'passwd'), 'utf8');

  it('is added for it, says so once, and leaves nothing to processes that run as nobody', async () => {
    const before = await accounts('/etc');
    const first = await visit();
    const [, uid, , folder, shell] =
      /^quartermaster-postgres:[^:]*:(\d+):(\d+):[^:]*:([^:]*):(.*)$/m.exec(await accounts(machine.etc)) ?? [];
    expect([folder, shell]).toEqual(['/nonexistent', '/usr/sbin/nologin']);
    expect(first).toMatchObject({ uid: Number(uid), stranger: expect.stringContaining('Permission denied') });
    expect(first.logged).toContainEqual(expect.stringMatching(/^added a system account to this machine/));
    const second = await visit();
    expect(second).toMatchObject({ uid: Number(uid), kept: [{ one: 1 }] });
    expect(second.logged.filter((message) => !message.startsWith('embedded PostgreSQL started'))).toEqual([]);
    expect(await accounts('/etc')).toBe(before);
  });

  it('is nobody, with a warning at each start, where none can be added; and gets the data as soon as there is one', async () => {
    for (const _start of ['first', 'second']) {
      const warned = await visit({ hasUseradd: false });
      expect(warned).toMatchObject({ uid: nobody, kept: [{ one: 1 }] });
      expect(warned.logged).toContainEqual(
        expect.stringMatching(/runs as nobody: every other process .*useradd --system quartermaster-postgres/),
      );
    }
    const { uid, kept, logged, stranger } = await visit();
    expect(kept).toEqual([{ one: 1 }]);
    expect(logged).toContainEqual(expect.stringMatching(/^gave the files of the embedded PostgreSQL to the account/));
    expect(stranger).toContain('Permission denied');
    expect(await ownersOfData()).toEqual(new Set([uid]));
  });

  it('gets the rest of the data when a death interrupted that', async () => {
    const { uid } = await visit();
    expect(uid).not.toBe(nobody);
    for (const entry of ['PG_VERSION', 'base', 'global/pg_control']) await chown(join(home, 'postgres/data', entry), nobody, nobody);
    expect(await visit()).toMatchObject({ uid, kept: [{ one: 1 }] });
    expect(await ownersOfData()).toEqual(new Set([uid]));
  });
});

function asNobody(command: string, ...args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(command, [...args], { uid: nobody, gid: nobody, cwd: '/', env: { LC_ALL: 'C' } }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
}
