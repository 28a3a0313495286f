import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  checkAgainstBaseline,
  filesBelow,
  generateCode,
  generatingPackages,
  lintContracts,
} from '../../scripts/generate/generate-code.mjs';
import { shapeModules } from '../../scripts/generate/shapes.mjs';
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

  it('comes from contracts that the last release can live with', async () => {
    await expect(checkAgainstBaseline()).resolves.toBeUndefined();
  });

  it.each([
    ['a number that changed', '  string rack = 3;', '  string rack = 199;'],
    ['a name that changed', '  string rack = 3;', '  string rack_name = 3;'],
    ['a field that is gone', '  string rack = 3;', ''],
  ])('does not come from contracts with %s', async (_what, before, after) => {
    const copy = await mkdtemp(join(folder, 'broken-'));
    await cp(join(root, 'api/proto'), join(copy, 'proto'), { recursive: true });
    await cp(join(root, 'api/buf.yaml'), join(copy, 'buf.yaml'));
    const file = join(copy, 'proto/private/v1/host_type.proto');
    const text = await readFile(file, 'utf8');
    expect(text).toContain(before);
    await writeFile(file, text.replace(before, after));
    await expect(checkAgainstBaseline(copy)).rejects.toThrow(/host_type\.proto.*field "3"/i);
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

  it('with the shapes of Kubernetes objects is what the definitions give now (npm run generate)', async () => {
    const modules = await shapeModules();
    expect(modules.size).toBeGreaterThan(0);
    for (const [path, text] of modules) {
      expect({ path, text: await readFile(join(root, path), 'utf8') }).toEqual({ path, text });
    }
    for (const place of new Set([...modules.keys()].map((path) => dirname(path)))) {
      const files = await filesBelow(join(root, place));
      expect(files.filter((file) => !modules.has(`${place}/${file}`))).toEqual([]);
    }
  });
});
