import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@quartermaster/kernel';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FileSnapshot, FileWatch, type WatchedFiles } from './file-watch.ts';

/** A file system of texts whose events a test sends itself. */
class PlayedFiles implements WatchedFiles {
  readonly texts = new Map<string, string>(); // path -> text
  readonly listeners = new Set<() => void>();

  readText(path: string): Promise<string> {
    const text = this.texts.get(path);
    return text === undefined ? Promise.reject(new Error(`ENOENT ${path}`)) : Promise.resolve(text);
  }

  watchFolder(_folder: string, onChange: () => void): () => void {
    this.listeners.add(onChange);
    return () => this.listeners.delete(onChange);
  }

  event(): void {
    for (const listener of this.listeners) listener();
  }
}

describe('FileWatch', () => {
  const clock = new FakeClock();
  let files = new PlayedFiles();
  let seen: FileSnapshot[] = [];
  const begin = async (): Promise<FileWatch> => {
    const watch = new FileWatch({ paths: ['/etc/a', '/etc/b'], clock, files, onChange: (snapshot) => void seen.push(snapshot) });
    await watch.start();
    return watch;
  };

  beforeEach(() => {
    files = new PlayedFiles();
    seen = [];
    files.texts.set('/etc/a', '1').set('/etc/b', '1');
  });

  it('reads once after a burst of events', async () => {
    const watch = await begin();
    for (const text of ['2', '3', '4']) {
      files.texts.set('/etc/a', text);
      files.event();
      await clock.advance(100);
    }
    expect(seen).toEqual([]);
    await clock.advance(100);
    expect(seen).toEqual([
      new Map([
        ['/etc/a', '4'],
        ['/etc/b', '1'],
      ]),
    ]);
    await watch.close();
  });

  it('notices a change without an event at the next regular look', async () => {
    const watch = await begin();
    files.texts.set('/etc/b', '2');
    await clock.advance(9999);
    expect(seen).toEqual([]);
    await clock.advance(1);
    expect(seen).toHaveLength(1);
    await clock.advance(60_000);
    expect(seen).toHaveLength(1);
    await watch.close();
  });

  it('says nothing when an event changed no content', async () => {
    const watch = await begin();
    files.event();
    await clock.advance(60_000);
    expect(seen).toEqual([]);
    await watch.close();
  });

  it('tells a file that went away once, and again when it is back', async () => {
    const watch = await begin();
    files.texts.delete('/etc/a');
    await clock.advance(30_000);
    expect(seen).toHaveLength(1);
    expect(seen[0]?.get('/etc/a')).toBeInstanceOf(Error);
    files.texts.set('/etc/a', '1');
    await clock.advance(10_000);
    expect(seen).toHaveLength(2);
    await watch.close();
  });

  it('leaves no timer and no watch behind', async () => {
    const watch = await begin();
    files.event();
    await watch.close();
    expect(clock.pendingTimers).toBe(0);
    expect(files.listeners.size).toBe(0);
  });
});

describe('FileWatch on the real file system', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quartermaster-watch-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('notices a file that was replaced, the way Kubernetes swaps a mounted ConfigMap', { timeout: 20_000 }, async () => {
    await writeFile(join(folder, 'v1'), 'one');
    await writeFile(join(folder, 'v2'), 'two');
    await symlink('v1', join(folder, 'config'));
    const seen: unknown[] = [];
    const path = join(folder, 'config');
    // No regular look within the test: only the event can tell.
    const watch = new FileWatch({
      paths: [path],
      settleMs: 1,
      pollIntervalMs: 600_000,
      onChange: (files) => void seen.push(files.get(path)),
    });
    expect((await watch.start()).get(path)).toBe('one');
    await symlink('v2', join(folder, 'next'));
    await rename(join(folder, 'next'), path);
    await vi.waitFor(() => expect(seen).toEqual(['two']), { timeout: 15_000, interval: 10 });
    await watch.close();
  });

  it('reads files of a folder that does not exist yet once it does', async () => {
    const seen: unknown[] = [];
    const path = join(folder, 'later', 'file');
    const watch = new FileWatch({ paths: [path], onChange: (files) => void seen.push(files.get(path)) });
    expect((await watch.start()).get(path)).toBeInstanceOf(Error);
    await rm(folder, { recursive: true });
    await mkdir(join(folder, 'later'), { recursive: true });
    await writeFile(path, 'here');
    await watch.look();
    expect(seen).toEqual(['here']);
    await watch.close();
  });
});
