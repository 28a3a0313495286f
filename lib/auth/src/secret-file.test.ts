import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readOrMake } from './secret-file.ts';

let path: string;
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'secret-')), 'key');
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(join(path, '..'), { recursive: true });
});

const make = (): string => 'made';
const read = async (): Promise<string> => await readOrMake(path, make);

it('makes a file for its owner alone, and reads it again', async () => {
  expect(await read()).toBe('made');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await readOrMake(path, () => 'another')).toBe('made');
});

it.each([0o640, 0o604, 0o620])('refuses a file with the mode bits %i, which we would not have made', async (mode) => {
  await read();
  chmodSync(path, mode);
  await expect(read()).rejects.toThrow(`${path} has mode ${mode.toString(8)}, but must not be accessible by other users: use a directory`);
});

it('refuses a link, also one that leads nowhere yet', async () => {
  const elsewhere = `${path}-elsewhere`;
  symlinkSync(elsewhere, path);
  await expect(read()).rejects.toThrow(`${path} must be a regular file, not a link`);
  writeFileSync(elsewhere, 'planted', { mode: 0o600 });
  await expect(read()).rejects.toThrow('not a link');
});

it('refuses a file of another user', async () => {
  await read();
  const me = process.geteuid?.() ?? 0;
  vi.spyOn(process, 'geteuid').mockReturnValue(me + 1);
  await expect(read()).rejects.toThrow(`${path} is owned by user ${me}, but must be owned by the user who runs this (${me + 1})`);
});

it.each([0o604, 0o602, 0o644])('refuses a file that a person named when others may read or write it: mode %o', async (mode) => {
  writeFileSync(path, 'open to all');
  chmodSync(path, mode);
  await expect(readOrMake(path, make, { isNamed: true })).rejects.toThrow(/must not be accessible by other users: chmod o= it, .* 0440/);
});

it('reads a file that a person named as a Secret of Kubernetes is mounted: a link to what root owns and a group reads', async () => {
  const mounted = `${path}-mounted`;
  writeFileSync(mounted, 'of the Secret', { mode: 0o440 });
  chmodSync(mounted, 0o440);
  symlinkSync(mounted, path);
  vi.spyOn(process, 'geteuid').mockReturnValue((process.geteuid?.() ?? 0) + 1);
  expect(await readOrMake(path, make, { isNamed: true })).toBe('of the Secret');
});
