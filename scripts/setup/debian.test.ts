import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DebianPackage, describeStatus, ensureDebianPackages, findBinary, type RunCommand } from './debian.mjs';
import type { Log } from './progress.mjs';

const tool: DebianPackage = { package: 'tool-server', probe: 'tool', why: 'the workshop needs it' };
const other: DebianPackage = { package: 'other', probe: 'other', why: 'so does the office' };

describe('ensureDebianPackages', () => {
  let said: string[];
  let ran: string[];
  let present: Set<string>;

  beforeEach(() => {
    said = [];
    ran = [];
    present = new Set(['apt-get']);
  });

  const log: Log = {
    info: (text) => void said.push(text),
    step: (title) => ({
      update: (text) => void said.push(`${title}: ${text}`),
      done: () => void said.push(`${title}: done`),
      fail: () => void said.push(`${title}: failed`),
    }),
  };

  const find = (name: string): string | undefined => (present.has(name) ? `/usr/bin/${name}` : undefined);

  const apt =
    (installs: readonly string[], code = 0): RunCommand =>
    async (command, args, onStatus) => {
      ran.push(`${command} ${args[0]}`);
      if (args[0] === 'update') return { code: 100, output: 'E: one of the lists could not be read' };
      expect(args).toEqual(expect.arrayContaining(['--yes', '--no-install-recommends']));
      onStatus('dlstatus:1:20.5:Retrieving file 1 of 1');
      for (const name of installs) present.add(name);
      return { code, output: 'E: Unable to locate package' };
    };

  it('runs nothing when every binary is there, from whichever source', async () => {
    present.add('tool');
    await ensureDebianPackages([tool], { log, isRoot: false, find, run: apt([]) });
    expect([...ran, ...said]).toEqual([]);
  });

  it('installs what is missing and shows how far it is', async () => {
    present.add('other');
    await ensureDebianPackages([tool, other], { log, isRoot: true, find, run: apt(['tool']) });
    expect(ran).toEqual(['apt-get update', 'apt-get install']);
    expect(said).toEqual(['install tool-server with apt-get: 20 %, Retrieving file 1 of 1', 'install tool-server with apt-get: done']);
  });

  it('installs nothing for a user who may not, and names the command that does', async () => {
    const attempt = ensureDebianPackages([tool, other], { log, isRoot: false, find, run: apt(['tool']) });
    await expect(attempt).rejects.toThrow(/Only root may install.*\n.*\n.*sudo apt-get install --no-install-recommends tool-server other$/);
    await expect(attempt).rejects.toThrow(/tool-server is missing \(tool is not on PATH\): the workshop needs it\./);
    expect(ran).toEqual([]);
  });

  it('says so where there is no apt-get', async () => {
    present.clear();
    await expect(ensureDebianPackages([tool], { log, isRoot: true, find, run: apt(['tool']) })).rejects.toThrow(/has no apt-get/);
  });

  it('fails with what apt-get said last', async () => {
    const attempt = ensureDebianPackages([tool], { log, isRoot: true, find, run: apt([], 100) });
    await expect(attempt).rejects.toThrow(/ended with code 100:\nE: Unable to locate package/);
    expect(said.at(-1)).toBe('install tool-server with apt-get: failed');
  });

  it('fails when the package came without its binary', async () => {
    await expect(ensureDebianPackages([tool], { log, isRoot: true, find, run: apt([]) })).rejects.toThrow(/still not on PATH/);
  });
});

describe('findBinary', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'debian-'));
  });

  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  it('takes the first file on PATH that can be run', () => {
    const file = join(directory, 'a-tool-of-our-own');
    writeFileSync(file, '#!/bin/sh\n');
    expect(findBinary('a-tool-of-our-own', `/nowhere::${directory}`)).toBeUndefined();
    chmodSync(file, 0o755);
    expect(findBinary('a-tool-of-our-own', `/nowhere::${directory}`)).toBe(file);
  });
});

describe('describeStatus', () => {
  it.each([
    ['pmstatus:tool-server:40.0:Unpacking tool-server (amd64)', '40 %, Unpacking tool-server (amd64)'],
    ['dlstatus:1:0:Retrieving file 1 of 3', '0 %, Retrieving file 1 of 3'],
    ['pmerror:tool-server:40.0:trouble', undefined],
    ['', undefined],
  ])('reads %j', (line, text) => {
    expect(describeStatus(line)).toBe(text);
  });
});
