import { link, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@quartermaster/kernel';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FolderSizes } from './folder-size.ts';

const kib = 1024;

describe('the size of a folder of volumes', () => {
  let root: string;
  let volumes: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'quartermaster-volumes-'));
    volumes = join(root, 'volumes');
    await mkdir(join(volumes, 'pvc-big/deep'), { recursive: true });
    await writeFile(join(volumes, 'pvc-big/deep/data'), Buffer.alloc(256 * kib, 1));
  });

  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
  });

  it('counts blocks, one name of each file, and nothing behind links', async () => {
    await writeFile(join(root, 'elsewhere'), Buffer.alloc(kib * kib, 1));
    await link(join(volumes, 'pvc-big/deep/data'), join(volumes, 'pvc-big/again'));
    await symlink(root, join(volumes, 'out'));
    const { bytes = 0, uncounted } = (await new FolderSizes({ clock: new FakeClock() }).of(volumes)) ?? {};
    expect(bytes).toBeGreaterThanOrEqual(256 * kib);
    expect(bytes).toBeLessThan(512 * kib);
    expect(uncounted).toEqual([]);
  });

  it('leaves out a volume with too many files, names it, and counts the others', async () => {
    await mkdir(join(volumes, 'pvc-many/deep'), { recursive: true });
    for (let file = 0; file < 10; file += 1) await writeFile(join(volumes, `pvc-many/deep/${file}`), '');
    const sizes = new FolderSizes({ clock: new FakeClock(), maxEntries: 10 });
    const { bytes = 0, uncounted } = (await sizes.of(volumes)) ?? {};
    expect(bytes).toBeGreaterThanOrEqual(256 * kib);
    expect(uncounted).toEqual(['pvc-many']);
  });

  it('counts ten times as many files in all as in one volume, and names the volumes that are left', async () => {
    const fill = async (volume: number): Promise<void> => {
      await mkdir(join(volumes, `pvc-${volume}`));
      for (let file = 0; file < 20; file += 1) await writeFile(join(volumes, `pvc-${volume}/${file}`), '');
    };
    const uncounted = async () => (await new FolderSizes({ clock: new FakeClock(), maxEntries: 20 }).of(volumes))?.uncounted;
    await rm(join(volumes, 'pvc-big'), { recursive: true });
    for (let volume = 0; volume < 10; volume += 1) await fill(volume);
    expect(await uncounted()).toEqual([]);
    await mkdir(join(volumes, 'pvc-10'));
    await writeFile(join(volumes, 'pvc-10/one-more'), '');
    expect(await uncounted()).toHaveLength(1);
  });

  it('breaks off when nobody needs it any more', async () => {
    const sizes = new FolderSizes({ clock: new FakeClock() });
    const looking = sizes.of(volumes);
    sizes.end();
    expect(await looking).toBeUndefined();
  });

  it('is not known of more volumes than can be counted, and not_found where there is no folder', async () => {
    await mkdir(join(volumes, 'pvc-2'));
    expect(await new FolderSizes({ clock: new FakeClock(), maxEntries: 1 }).of(volumes)).toBeUndefined();
    await expect(new FolderSizes({ clock: new FakeClock() }).of(join(root, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is looked for anew after a while, and until that is found the last one is told', async () => {
    const clock = new FakeClock();
    const sizes = new FolderSizes({ clock, maxAgeMs: 1_000 });
    const first = await sizes.of(volumes);
    await writeFile(join(volumes, 'pvc-big/more'), Buffer.alloc(kib * kib, 1));
    expect(await sizes.of(volumes)).toBe(first);
    await clock.advance(1_000);
    expect(await sizes.of(volumes)).toBe(first);
    await vi.waitFor(async () => expect((await sizes.of(volumes))?.bytes).toBeGreaterThan(kib * kib), { timeout: 20_000 });
    await writeFile(join(volumes, 'pvc-big/most'), Buffer.alloc(kib * kib, 1));
    await clock.advance(2_000);
    expect((await sizes.of(volumes))?.bytes).toBeGreaterThan(2 * kib * kib);
  });
});
