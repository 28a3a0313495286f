import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { compileCacheFolder } from './compile-cache.mjs';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'compile-cache-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(home, { recursive: true });
});

it('is made below the cache of the user, for that user alone', () => {
  const folder = join(home, '.cache', 'quartermaster', 'compiled');
  expect(compileCacheFolder({}, home)).toBe(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(compileCacheFolder({ XDG_CACHE_HOME: join(home, 'xdg') }, '/elsewhere')).toBe(join(home, 'xdg', 'quartermaster', 'compiled'));
});

it('is not below a cache that several users may share', () => {
  const shared = join(home, 'shared');
  expect(compileCacheFolder({ QUARTERMASTER_CACHE: shared }, home)).toBe(join(home, '.cache', 'quartermaster', 'compiled'));
  expect(existsSync(shared)).toBe(false);
});

it('is never below the current directory', () => {
  expect(compileCacheFolder({}, '')).toBeUndefined();
  expect(compileCacheFolder({ XDG_CACHE_HOME: 'relative' }, '')).toBeUndefined();
  expect(compileCacheFolder({ XDG_CACHE_HOME: '' }, 'relative')).toBeUndefined();
});

it.each(['quartermaster', join('quartermaster', 'compiled')])('is not used when others can write %s', (name) => {
  const folder = join(home, '.cache', name);
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o777);
  expect(compileCacheFolder({}, home)).toBeUndefined();
});

it('is not used when it is a link, or owned by another user', () => {
  const folder = compileCacheFolder({}, home) ?? '';
  vi.spyOn(process, 'geteuid').mockReturnValue((process.geteuid?.() ?? 0) + 1);
  expect(compileCacheFolder({}, home)).toBeUndefined();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
  symlinkSync(home, folder);
  expect(compileCacheFolder({}, home)).toBeUndefined();
});

it('is not there when nothing can be made', () => {
  expect(compileCacheFolder({ XDG_CACHE_HOME: '/dev/null' }, home)).toBeUndefined();
});
