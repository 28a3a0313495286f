import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Family } from './control-plane-families.mjs';
import { goBuild } from './go-build.mjs';
import type { Log } from './progress.mjs';

describe('goBuild', () => {
  let directory: string;
  let family: Family;
  let ends: string[];
  let log: Log;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'go-build-'));
    family = {
      name: 'tool',
      moduleFolder: directory,
      flags: ['-trimpath'],
      packages: new Map([['kubectl', './kubectl']]),
      folder: join(directory, 'cache'),
    };
    ends = [];
    const end = (what: string) => (): void => void ends.push(what);
    log = { info: () => {}, step: () => ({ update: () => {}, done: end('done'), fail: end('failed') }) };
  });

  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  /** A stand-in for the Go command: its `build` runs the script with the output file as $OUTPUT. */
  const fakeGo = (build: string): string => {
    const file = join(directory, 'go');
    writeFileSync(file, `#!/bin/sh\nif [ "$1" = list ]; then echo one; exit 0; fi\nOUTPUT="$5"\n${build}\n`);
    chmodSync(file, 0o755);
    return file;
  };

  const cacheFolders = (): string[] => readdirSync(directory).filter((name) => name.startsWith('cache'));

  it('publishes the finished folder', async () => {
    await goBuild({ go: fakeGo('echo compiled >&2; echo binary > "$OUTPUT"'), family, log });
    expect(readFileSync(join(family.folder, 'kubectl'), 'utf8')).toBe('binary\n');
    expect(cacheFolders()).toEqual(['cache']);
    expect(ends).toEqual(['done']);
  });

  it('publishes nothing of a build that fails, and shows what Go said', async () => {
    const building = goBuild({ go: fakeGo('echo half > "$OUTPUT"; echo "no such module" >&2; exit 1'), family, log });
    await expect(building).rejects.toThrow(/`go build` in .* ended with code 1:\nno such module/);
    expect(cacheFolders()).toEqual([]);
    expect(ends).toEqual(['failed']);
  });

  it('keeps what another process has finished meanwhile', async () => {
    const go = fakeGo(`mkdir "${family.folder}"; echo theirs > "${family.folder}/kubectl"; echo ours > "$OUTPUT"`);
    await goBuild({ go, family, log });
    expect(readFileSync(join(family.folder, 'kubectl'), 'utf8')).toBe('theirs\n');
    expect(cacheFolders()).toEqual(['cache']);
  });

  it('says so when Go is not there', async () => {
    const go = join(directory, 'absent');
    await expect(goBuild({ go, family, log })).rejects.toThrow(`${go} did not start`);
    expect(existsSync(family.folder)).toBe(false);
  });
});
