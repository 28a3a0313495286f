import { describe, expect, it } from 'vitest';
import { findViolations, libTable, type Tree, type WorkspacePackage } from './layer-rules.ts';

const scope = (folder: string): string => `@quartermaster/${folder.split('/').at(-1)}`;

interface PackageOptions {
  readonly uses?: readonly string[];
  readonly entryPoints?: readonly string[];
}

function workspacePackage(folder: string, { uses = [], entryPoints = ['.'] }: PackageOptions = {}): WorkspacePackage {
  const name = folder === '' ? 'workspace' : scope(folder);
  return { folder, name, dependencies: new Set(uses), entryPoints: new Set(entryPoints) };
}

const rootPackage = workspacePackage('', { uses: ['vitest', 'oxc-parser'], entryPoints: [] });

/** One file of `from` importing the package at `to`, both declared as they should be: only the direction can be wrong. */
function importing(from: string, to: string): string[] {
  const tree: Tree = {
    packages: [rootPackage, workspacePackage(from, { uses: [scope(to)] }), workspacePackage(to)],
    files: [{ path: `${from}/src/a.ts`, lineCount: 3, imports: [{ specifier: scope(to), line: 2 }] }],
  };
  return messages(tree);
}

interface FileOptions {
  readonly packages?: readonly WorkspacePackage[];
  readonly lineCount?: number;
}

/** One file with one import, in a tree of kernel, kube and what is given. */
function file(path: string, specifier: string | undefined, { packages = [], lineCount = 3 }: FileOptions = {}): string[] {
  const given = new Set(packages.map(({ folder }) => folder));
  const standard = [
    rootPackage,
    workspacePackage('lib/kernel'),
    workspacePackage('lib/kube', { uses: ['@quartermaster/kernel', 'undici'] }),
  ];
  return messages({
    packages: [...standard.filter(({ folder }) => !given.has(folder)), ...packages],
    files: [{ path, lineCount, imports: specifier === undefined ? [] : [{ specifier, line: 1 }] }],
  });
}

const messages = (tree: Tree): string[] => findViolations(tree).map(({ file: path, line, message }) => `${path}:${line} ${message}`);

describe('direction', () => {
  it.each([
    ['apps/quartermaster', 'services/cluster'],
    ['apps/quartermaster', 'operators/ip'],
    ['apps/quartermaster', 'sources/bcm'],
    ['apps/quartermaster', 'simulator'],
    ['apps/quartermaster', 'lib/kernel'],
    ['services/cluster', 'lib/store'],
    ['services/cluster', 'dns'],
    ['operators/ip', 'lib/kube'],
    ['operators/ip', 'api'],
    ['lib/runtime', 'api'],
    ['sources/bcm', 'sources/sync'],
    ['apps/quartermaster', 'apps/console'],
    ['sources/bcm', 'lib/kernel'],
    ['simulator', 'lib/kube'],
    ['dns', 'lib/kernel'],
    ['api', 'lib/kernel'],
    ['lib/kube', 'lib/kernel'],
    ['lib/controller', 'lib/kube'],
    ['test', 'apps/quartermaster'],
    ['bench', 'services/cluster'],
    ['bench', 'test'],
  ])('lets %s import %s', (from, to) => {
    expect(importing(from, to)).toEqual([]);
  });

  it.each([
    ['services/cluster', 'apps/quartermaster', 'services may not import apps'],
    ['services/cluster', 'operators/ip', 'services may not import operators'],
    ['operators/ip', 'services/cluster', 'operators may not import services'],
    ['operators/ip', 'sources/sync', 'operators may not import sources'],
    ['sources/bcm', 'operators/ip', 'sources may not import operators'],
    ['services/cluster', 'simulator', 'services may not import simulator'],
    ['simulator', 'services/cluster', 'simulator may not import services'],
    ['services/cluster', 'services/fulfillment', 'packages of services never import each other'],
    ['operators/ip', 'operators/hostname', 'packages of operators never import each other'],
    ['sources/bcm', 'sources/ironic', 'packages of sources never import each other'],
    ['sources/sync', 'sources/bcm', 'packages of sources never import each other'],
    ['apps/console', 'apps/quartermaster', 'packages of apps never import each other'],
    ['dns', 'lib/kube', 'dns may not import lib (dns -> lib/kernel only)'],
    ['api', 'dns', 'api may not import dns'],
    ['lib/kube', 'dns', 'lib may not import dns'],
    ['lib/kernel', 'lib/kube', 'lib/kernel may import nothing of lib'],
    ['lib/kube', 'lib/controller', 'lib/kube may import kernel of lib'],
    ['lib/novel', 'lib/kernel', 'lib/novel has no entry in the table of lib'],
    ['novel/part', 'dns', 'novel has no place in the layers'],
    ['lib/kube', 'test', 'only test, bench and scripts may import from test'],
    ['apps/quartermaster', 'bench', 'only test, bench and scripts may import from bench'],
  ])('refuses that %s imports %s', (from, to, rule) => {
    expect(importing(from, to)).toEqual([expect.stringContaining(`${from}/src/a.ts:2 imports ${scope(to)}: ${rule}`)]);
  });

  it('has no cycle in the table of lib, and no entry that the table does not know', () => {
    const order = [...libTable.keys()];
    for (const [name, allowed] of libTable) {
      for (const other of allowed) expect(libTable.get(other), `${name} -> ${other}`).toBeDefined();
    }
    const placed = new Set<string>();
    while (placed.size < order.length) {
      const next = order.find((name) => !placed.has(name) && libTable.get(name)?.every((other) => placed.has(other)));
      expect(next, `a cycle among ${order.filter((name) => !placed.has(name)).join(', ')}`).toBeDefined();
      placed.add(next ?? '');
    }
  });
});

describe('lib/kernel', () => {
  it.each(['node:fs', 'undici', '@scope/name'])('refuses %s outside tests', (specifier) => {
    expect(file('lib/kernel/src/a.ts', specifier)).toEqual([expect.stringContaining('lib/kernel imports nothing and does no I/O')]);
  });

  it('lets its tests use Node and the development dependencies of the root', () => {
    expect(file('lib/kernel/src/a.test.ts', 'node:fs')).toEqual([]);
    expect(file('lib/kernel/src/a.test.ts', 'vitest')).toEqual([]);
  });
});

describe('package boundaries', () => {
  it('lets relative imports move inside the package', () => {
    expect(file('lib/kube/src/deep/a.ts', '../../testing/b.ts')).toEqual([]);
    expect(file('scripts/check/a.ts', '../setup/b.mjs')).toEqual([]);
  });

  it('refuses a relative import that leaves the package, and names the package to import instead', () => {
    const text = "imports '../../kernel/src/b.ts', which leaves the package folder lib/kube: import @quartermaster/kernel by name";
    expect(file('lib/kube/src/a.ts', '../../kernel/src/b.ts')).toEqual([`lib/kube/src/a.ts:1 ${text}`]);
  });

  it('refuses a relative import into the folders of the root or out of the workspace', () => {
    expect(file('lib/kube/src/a.ts', '../../../scripts/b.ts')).toEqual([expect.stringContaining('move the file into this package')]);
    expect(file('lib/kube/src/a.ts', '../../../../b.ts')).toEqual([expect.stringContaining('leaves the workspace')]);
    expect(file('scripts/a.mjs', '../lib/kube/src/b.ts')).toEqual([expect.stringContaining('import @quartermaster/kube by name')]);
  });

  it('lets scripts, which has no package, and the tests reach each other by path', () => {
    const packages = [workspacePackage('test'), workspacePackage('bench')];
    expect(file('test/kube/a.ts', '../../scripts/setup/b.mjs', { packages })).toEqual([]);
    expect(file('scripts/a.ts', '../test/kube/b.ts', { packages })).toEqual([]);
    expect(file('bench/a/main.ts', '../../test/kube/b.ts', { packages })).toEqual([
      expect.stringContaining('import @quartermaster/test by name'),
    ]);
  });

  it('does not take a folder for the inside of another whose name it continues', () => {
    const packages = [workspacePackage('lib/kube-extra')];
    expect(file('lib/kube-extra/src/a.ts', '../../kube/src/b.ts', { packages })).toEqual([
      expect.stringContaining('leaves the package folder'),
    ]);
  });

  it('refuses inner files of another package and lists what it exports', () => {
    const packages = [workspacePackage('lib/kernel', { entryPoints: ['.', './testing'] })];
    expect(file('lib/kube/src/a.ts', '@quartermaster/kernel/testing', { packages })).toEqual([]);
    expect(file('lib/kube/src/a.ts', '@quartermaster/kernel/src/b.ts', { packages })).toEqual([
      expect.stringContaining('import what it exports (@quartermaster/kernel, @quartermaster/kernel/testing)'),
    ]);
  });

  it('refuses a package that imports itself by name', () => {
    expect(file('lib/kube/src/a.ts', '@quartermaster/kube')).toEqual([expect.stringContaining('imports its own package')]);
  });

  it('refuses sub-path imports', () => {
    expect(file('lib/kube/src/a.ts', '#inner')).toEqual([expect.stringContaining('sub-path imports are not used here')]);
  });
});

describe('declared dependencies', () => {
  it('lets a package import what its manifest declares, also by a sub-path', () => {
    expect(file('lib/kube/src/a.ts', 'undici')).toEqual([]);
    expect(file('lib/kube/src/a.ts', 'undici/types')).toEqual([]);
  });

  it('refuses an npm package that the manifest does not declare', () => {
    const text = "imports 'yaml', which lib/kube/package.json does not declare: add it to its dependencies, with an exact version";
    expect(file('lib/kube/src/a.ts', 'yaml/inner')).toEqual([`lib/kube/src/a.ts:1 ${text}`]);
  });

  it('refuses a package of the workspace that the manifest does not declare', () => {
    const packages = [workspacePackage('lib/controller', { uses: ['@quartermaster/kernel'] })];
    expect(file('lib/controller/src/a.ts', '@quartermaster/kube', { packages })).toEqual([
      expect.stringContaining("imports '@quartermaster/kube', which lib/controller/package.json does not declare"),
    ]);
  });

  it('counts the development dependencies of the root for test code and for scripts only', () => {
    expect(file('test/kube/a.ts', 'vitest', { packages: [workspacePackage('test')] })).toEqual([]);
    expect(file('bench/a.ts', 'vitest', { packages: [workspacePackage('bench')] })).toEqual([expect.stringContaining('does not declare')]);
    expect(file('lib/kube/src/a.test.ts', 'vitest')).toEqual([]);
    expect(file('scripts/check/a.ts', 'oxc-parser')).toEqual([]);
    expect(file('lib/kube/src/a.ts', 'vitest')).toEqual([expect.stringContaining('does not declare')]);
  });

  it('asks for the node: prefix', () => {
    expect(file('lib/kube/src/a.ts', 'node:fs/promises')).toEqual([]);
    expect(file('lib/kube/src/a.ts', 'fs/promises')).toEqual([expect.stringContaining("write 'node:fs/promises'")]);
  });
});

describe('length', () => {
  it('refuses a file of more than 300 lines', () => {
    expect(file('lib/kube/src/a.ts', undefined, { lineCount: 300 })).toEqual([]);
    expect(file('lib/kube/src/a.ts', undefined, { lineCount: 301 })).toEqual([
      'lib/kube/src/a.ts:301 301 lines, over the limit of 300: split it by concept',
    ]);
  });

  it('lets tests and generated files be longer', () => {
    expect(file('lib/kube/src/a.test.ts', undefined, { lineCount: 900 })).toEqual([]);
    expect(file('api/src/generated/a.ts', undefined, { lineCount: 900 })).toEqual([]);
  });
});
