import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock, silentLog } from '@quartermaster/kernel';
import { KeyRing } from '@quartermaster/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openKeyRing, type RoleKeyRing } from './key-ring-file.ts';

const [old, newer] = [KeyRing.generate(), KeyRing.generate()];
const idOf = (text: string): string => KeyRing.parse(text).currentKeyId;
const plain = new TextEncoder().encode('p4ss');

describe('the key ring of a file', () => {
  let directory: string;
  let clock: FakeClock;
  const opened: RoleKeyRing[] = [];

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'key-ring-'));
    clock = new FakeClock();
  });
  afterEach(async () => {
    for (const ring of opened.splice(0)) await ring.close();
    await rm(directory, { recursive: true, force: true });
  });

  const follow = async (keyRingFile: string | undefined, dataDirectory?: string): Promise<RoleKeyRing> => {
    const ring = await openKeyRing({ keyRing: undefined, keyRingFile, dataDirectory }, { clock, log: silentLog });
    opened.push(ring);
    return ring;
  };
  /** Time passes until it is so: the file is looked at regularly. */
  const becomes = async <T>(what: () => T, expected: T): Promise<void> => {
    const look = async (): Promise<T> => {
      await clock.advance(10_000);
      return what();
    };
    await expect.poll(look, { timeout: 20_000 }).toEqual(expected);
  };

  it('seals with the key that is first by now, and opens with all that are there', async () => {
    const file = join(directory, 'ring');
    await writeFile(file, old);
    const { keys, status } = await follow(file).then((ring) => ({ keys: ring.keys, status: () => ring.status() }));
    const before = keys.seal(plain, 'c');
    await writeFile(file, newer + old);
    await becomes(() => keys.currentKeyId, idOf(newer));
    expect(keys.seal(plain, 'c').keyId).toBe(idOf(newer));
    expect([...keys.open(before, 'c')]).toEqual([...plain]);
    expect(keys.rewrap(before)?.keyId).toBe(idOf(newer));
    expect(status()).toEqual({ current: idOf(newer), keys: [idOf(newer), idOf(old)], problem: undefined });

    await writeFile(file, newer);
    await becomes(() => keys.keyIds, [idOf(newer)]);
    expect(() => keys.open(before, 'c')).toThrow(`the key "${idOf(old)}", under which a secret is stored, is not in the key ring`);
  });

  it('follows a mounted Secret, of which the kubelet changes a link above the file', async () => {
    for (const [version, text] of [
      ['..1', old],
      ['..2', newer + old],
    ] as const) {
      await mkdir(join(directory, version));
      await writeFile(join(directory, version, 'ring'), text);
    }
    await symlink('..1', join(directory, '..data'));
    await symlink('..data/ring', join(directory, 'ring'));
    const { keys } = await follow(join(directory, 'ring'));
    expect(keys.currentKeyId).toBe(idOf(old));
    await symlink('..2', join(directory, '..data_tmp'));
    await rename(join(directory, '..data_tmp'), join(directory, '..data'));
    await becomes(() => keys.keyIds, [idOf(newer), idOf(old)]);
  });

  it.each([
    ['holds something else', (file: string) => writeFile(file, `${newer}nonsense`), 'line 2'],
    ['is empty', (file: string) => writeFile(file, ''), 'it has no key'],
    ['is gone', (file: string) => rm(file), 'ENOENT'],
  ])('stays what it was while the file %s, says so, and takes the next good one', async (_what, spoil, problem) => {
    const file = join(directory, 'ring');
    await writeFile(file, old);
    const ring = await follow(file);
    expect(ring.check()).toEqual({ state: 'ok' });
    await spoil(file);
    await becomes(() => ring.check().state, 'degraded');
    expect(ring.check().reason).toContain(problem);
    expect(ring.check().reason).toContain(file);
    expect(ring.status()).toEqual({ current: idOf(old), keys: [idOf(old)], problem: expect.stringContaining(problem) as string });
    expect(JSON.stringify(ring.check())).not.toContain(newer.split(':')[1]?.trim());
    expect(ring.keys.seal(plain, 'c').keyId).toBe(idOf(old));
    await writeFile(file, newer);
    await becomes(() => ring.keys.currentKeyId, idOf(newer));
    expect(ring.check()).toEqual({ state: 'ok' });
  });

  it('is made in a data directory that has none, and never anew while the role runs', async () => {
    const ring = await follow(undefined, join(directory, 'data'));
    const file = join(directory, 'data', 'key-ring');
    expect(idOf(await readFile(file, 'utf8'))).toBe(ring.keys.currentKeyId);
    await rm(file);
    await becomes(() => ring.check().state, 'degraded');
    await expect(readFile(file)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('refuses to begin with a file that holds no ring', async () => {
    const file = join(directory, 'ring');
    await expect(follow(file)).rejects.toMatchObject({ code: 'invalid_argument', message: expect.stringContaining(file) as string });
    await writeFile(file, 'nonsense');
    await expect(follow(file)).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});
