import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureGo, goVersion, isAtLeast } from './go-toolchain.mjs';
import type { Log } from './progress.mjs';

const silent: Log = { info: (text) => expect.unreachable(text), step: (text) => expect.unreachable(text) };

describe('ensureGo', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'go-toolchain-'));
    writeFileSync(join(directory, 'go.mod'), 'module example.com/tools\n\ngo 1.26.0\n');
  });

  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  const fakeGo = (path: string, version: string): string => {
    const file = join(directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `#!/bin/sh\necho "go version go${version} linux/amd64"\n`);
    chmodSync(file, 0o755);
    return file;
  };

  const find = (places: readonly string[]): Promise<string> =>
    ensureGo({ log: silent, moduleFolders: [directory], cache: join(directory, 'cache'), places });

  it('takes the first Go that is new enough for go.mod', async () => {
    const old = fakeGo('old/go', '1.19.8');
    const good = fakeGo('good/go', '1.26.8');
    const newer = fakeGo('newer/go', '1.27');
    expect(await find([join(directory, 'absent'), old, good, newer])).toBe(good);
    expect(await find([old, newer, good])).toBe(newer);
  });

  it('is foretold by goVersion', () => {
    const options = { moduleFolders: [directory], cache: join(directory, 'cache') };
    const places = [fakeGo('old/go', '1.19.8'), fakeGo('good/go', '1.26.8')];
    expect(goVersion({ ...options, places })).toBe('1.26.8');
    expect(goVersion({ ...options, places: [] })).toBeUndefined();
  });

  it('takes the Go that was brought into the cache before', async () => {
    const cached = fakeGo('cache/go-toolchain/go/bin/go', '1.27.3');
    expect(await find([])).toBe(cached);
  });
});

describe('isAtLeast', () => {
  it.each([
    ['1.26.0', '1.26.0', true],
    ['1.26', '1.26.0', true],
    ['1.9.9', '1.26.0', false],
    ['1.26.10', '1.26.9', true],
    ['2.0', '1.99.99', true],
  ])('compares %s with %s by number', (version, needed, expected) => {
    expect(isAtLeast(version, needed)).toBe(expected);
  });

  it('is a total order', () => {
    const version = fc.tuple(fc.nat(3), fc.nat(30), fc.nat(30)).map((parts) => parts.join('.'));
    fc.assert(
      fc.property(version, version, (a, b) => {
        expect(isAtLeast(a, b) || isAtLeast(b, a)).toBe(true);
        expect(isAtLeast(a, b) && isAtLeast(b, a)).toBe(a === b);
      }),
    );
  });
});
