import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Log, silentLog, systemClock } from '@quartermaster/kernel';
import { KeyRing } from '@quartermaster/store/key-ring';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSessionKeys, type SessionKeys } from './session-keys.ts';

describe('the keys of sessions', () => {
  let directory: string;
  let keys: SessionKeys | undefined;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'session-keys-'));
  });
  afterEach(async () => {
    await keys?.close();
    await rm(directory, { recursive: true, force: true });
  });

  const open = async (file: string | undefined, log: Log = silentLog): Promise<SessionKeys> => {
    keys = await openSessionKeys({ file, clock: systemClock, log });
    return keys;
  };

  it('are made when the file is not there, for its owner alone, and are the same afterwards', async () => {
    const file = join(directory, 'deep/key-ring');
    const { id } = (await open(file)).current();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await keys?.close();
    expect((await open(file)).current().id).toBe(id);
  });

  it('are read again when the file changes, and stay what they were when it is broken', async () => {
    const file = join(directory, 'key-ring');
    const errors: string[] = [];
    const { current, find } = await open(file, { ...silentLog, error: (message) => void errors.push(message) });
    const before = current().id;
    await writeFile(file, KeyRing.generate() + (await readFile(file, 'utf8')));
    await expect.poll(() => current().id).not.toBe(before);
    expect(find(before)).toBeDefined();
    const after = current().id;
    await writeFile(file, 'nonsense');
    await expect.poll(() => errors).toContain('the key ring of the console is ignored, the last good one stays in use');
    expect(current().id).toBe(after);
    await writeFile(file, KeyRing.generate());
    await expect.poll(() => current().id).not.toBe(after);
    expect(find(before)).toBeUndefined();
  });

  it('stay what they were when the file is opened to others, and are read again when it is not any more', async () => {
    const file = join(directory, 'key-ring');
    const errors: unknown[] = [];
    const { current } = await open(file, { ...silentLog, error: (_message, fields) => void errors.push(fields?.['error']) });
    const before = current().id;
    await chmod(file, 0o644);
    await writeFile(file, KeyRing.generate());
    await expect.poll(() => String(errors[0])).toMatch(/key-ring has mode 644, but must not be accessible by other users: chmod o= it/);
    expect(current().id).toBe(before);
    await chmod(file, 0o640);
    await expect.poll(() => current().id).not.toBe(before);
  });

  it('refuse to start on a file that holds none', async () => {
    const file = join(directory, 'key-ring');
    await writeFile(file, 'nonsense');
    await expect(open(file)).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('are different for each process that has no file', async () => {
    expect((await open(undefined)).current().id).not.toBe((await open(undefined)).current().id);
  });
});
