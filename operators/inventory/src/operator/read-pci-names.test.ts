import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPciNames } from './read-pci-names.ts';

describe('readPciNames', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pci-ids-'));
    await writeFile(join(folder, 'empty'), '# no vendor\n');
    await writeFile(join(folder, 'good'), '10de  NVIDIA Corporation\n\t2d99  GB206 [GeForce RTX 9990]\n');
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('reads the first file that has names', async () => {
    const files = ['gone', 'empty', 'good'].map((name) => join(folder, name));
    expect(await readPciNames(files)).toEqual({ names: new Map([['10de:2d99', 'GB206 [GeForce RTX 9990]']]), problem: undefined });
  });

  it('says where it looked when there is none, and what that costs', async () => {
    const { names, problem } = await readPciNames([join(folder, 'gone'), join(folder, 'empty')]);
    expect(names.size).toBe(0);
    expect(problem).toContain(`no pci.ids with names of GPUs is at ${join(folder, 'gone')}, ${join(folder, 'empty')}`);
    expect(problem).toContain('install the package');
  });
});
