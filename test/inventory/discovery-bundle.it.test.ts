import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { HardwareFacts } from '@quartermaster/api/node-hardware';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const script = fileURLToPath(new URL('../../scripts/bundle-discovery.mjs', import.meta.url));

describe('the discovery bundle', () => {
  let folder: string;
  let program: string;
  let archiveBytes: number;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quartermaster-bundle-test-'));
    await run(process.execPath, [script, folder]);
    const [archive = ''] = await readdir(folder);
    archiveBytes = (await stat(join(folder, archive))).size;
    await run('tar', ['--extract', '--gzip', `--file=${join(folder, archive)}`, '--directory', folder]);
    program = join(folder, archive.replace('.tar.gz', ''), 'discovery');
  });

  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  /** As on a machine that has nothing of us: no variables, no folder of ours, a bare search path. */
  const discovery = async (...args: string[]): Promise<{ stdout: string; stderr: string }> =>
    await run(program, args, { env: { PATH: '/usr/bin:/bin' }, cwd: '/' });

  it('reads this machine with what it brought along', async () => {
    const facts = JSON.parse((await discovery('--once', '--json', '--path', folder)).stdout) as HardwareFacts;
    expect(facts.cpu?.threads).toBeGreaterThan(0);
    expect(facts.memory?.totalBytes).toBeGreaterThan(0);
    expect(facts.filesystems).toMatchObject([{ path: folder }]);
    expect(Math.abs(Date.now() - Date.parse(facts.observedAt))).toBeLessThan(600_000);
  });

  it('stays small enough to be carried anywhere', () => {
    expect(archiveBytes).toBeLessThan(60 * 2 ** 20);
  });

  it('prints a table for people', async () => {
    expect((await discovery('--once')).stdout).toMatch(/^machine\n(.*\n)+processors\n {2}socket /);
  });

  it('says how it is used when it is used otherwise', async () => {
    await expect(discovery()).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('discovery --once [--json]') });
    await expect(discovery('--once', '--jsn')).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('--jsn') });
  });
});
