import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesBelow, generateCode, generatingPackages, lintContracts } from '../../scripts/generate/generate-code.mjs';
import { root } from '../../scripts/setup/find-node24.mjs';

describe('generated code', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'generated-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('comes from contracts that keep the rules', async () => {
    await expect(lintContracts()).resolves.toBeUndefined();
  });

  it.each(generatingPackages)('of %s is what the contracts give now (npm run generate)', async (name) => {
    const into = join(folder, name);
    await generateCode(name, into);
    const fresh = join(into, 'src/generated');
    const committed = join(root, name, 'src/generated');
    const files = await filesBelow(fresh);
    expect(files.length).toBeGreaterThan(3);
    expect(await filesBelow(committed)).toEqual(files);
    for (const file of files) {
      const text = await readFile(join(committed, file), 'utf8');
      expect({ file, text }).toEqual({ file, text: await readFile(join(fresh, file), 'utf8') });
    }
  });
});
