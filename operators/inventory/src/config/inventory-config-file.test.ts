import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@quartermaster/kernel';
import { afterEach, describe, expect, it } from 'vitest';
import type { InventoryConfig } from './inventory-config.ts';
import { InventoryConfigFile } from './inventory-config-file.ts';

describe('InventoryConfigFile', () => {
  const cleanUps: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
  });

  async function setUp(text?: string) {
    const folder = await mkdtemp(join(tmpdir(), 'inventory-config-'));
    cleanUps.push(() => rm(folder, { recursive: true }));
    const path = join(folder, 'config.yaml');
    if (text !== undefined) await writeFile(path, text);
    const changes: InventoryConfig[] = [];
    const open = async () => {
      const file = await InventoryConfigFile.open({ path, clock: new FakeClock(), onChange: (config) => changes.push(config) });
      cleanUps.push(() => file.close());
      return file;
    };
    return { folder, path, changes, open };
  }

  it('holds the defaults while there is no file, and takes one that appears', async () => {
    const { path, changes, open } = await setUp();
    const file = await open();
    expect(file.status().state).toBe('absent');
    await writeFile(path, 'cluster_storage: [beta2]');
    await file.reload();
    expect(file.status().state).toBe('current');
    expect(changes.map(({ clusterStorage }) => clusterStorage)).toEqual([['beta2']]);
  });

  it('refuses to open a broken file: the defaults could sell what it excludes', async () => {
    const { open } = await setUp('exclude: { nodes: ["("] }');
    await expect(open()).rejects.toThrow('exclude.nodes[0]');
  });

  it('keeps the last good configuration while the file is broken or gone, and says so', async () => {
    const { path, changes, open } = await setUp('cluster_storage: [beta2]');
    const file = await open();
    await writeFile(path, 'cluster_storge: [beta3]');
    await file.reload();
    expect(file.current.clusterStorage).toEqual(['beta2']);
    expect(file.status()).toMatchObject({ state: 'broken', problem: expect.stringContaining('did you mean cluster_storage?') });
    expect(file.health()).toMatchObject({ state: 'degraded' });
    await rm(path);
    await file.reload();
    expect(file.current.clusterStorage).toEqual(['beta2']);
    expect(file.status()).toMatchObject({ state: 'broken', problem: expect.stringContaining('ENOENT') });
    expect(changes).toEqual([]);
    await writeFile(path, 'cluster_storage: [beta2]');
    await file.reload();
    expect(file.status()).toMatchObject({ state: 'current', problem: undefined });
    expect(file.health()).toEqual({ state: 'ok' });
  });

  it('follows the swap of links by which a ConfigMap mount changes', async () => {
    const { folder, path, open } = await setUp();
    const publish = async (version: string, text: string) => {
      await mkdir(join(folder, version));
      await writeFile(join(folder, version, 'config.yaml'), text);
      await symlink(version, join(folder, '..data_tmp'));
      await rename(join(folder, '..data_tmp'), join(folder, '..data'));
    };
    await publish('..1', 'cluster_storage: [beta1]');
    await symlink('..data/config.yaml', path);
    const file = await open();
    expect(file.current.clusterStorage).toEqual(['beta1']);
    await publish('..2', 'cluster_storage: [beta3]');
    await file.reload();
    expect(file.current.clusterStorage).toEqual(['beta3']);
    expect(file.status().state).toBe('current');
  });
});
