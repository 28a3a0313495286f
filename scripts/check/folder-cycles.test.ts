import { describe, expect, it } from 'vitest';
import { findFolderCycles } from './folder-cycles.ts';
import type { Tree } from './layer-rules.ts';

/** A package with files that import one file each: `a/x.ts -> ../b/y.ts`. */
function treeOf(...lines: readonly string[]): Tree {
  const files = lines.map((line) => {
    const [path = '', specifier = ''] = line.split(' -> ');
    return { path: `lib/p/src/${path}`, lineCount: 1, imports: [{ specifier, line: 7 }] };
  });
  return { packages: [{ folder: 'lib/p', name: '@q/p', dependencies: new Set(), entryPoints: new Set(['.']) }], files };
}

const messagesOf = (tree: Tree): string[] => findFolderCycles(tree).map(({ message }) => message);

describe('folders of a package', () => {
  it('may import each other in one direction', () => {
    expect(messagesOf(treeOf('a/x.ts -> ../b/y.ts', 'b/y.ts -> ../c/z.ts', 'a/x.ts -> ../c/z.ts'))).toEqual([]);
  });

  it('may not import each other, directly or by way of others', () => {
    expect(findFolderCycles(treeOf('a/x.ts -> ../b/y.ts', 'b/z.ts -> ../a/w.ts'))).toMatchObject([{ file: 'lib/p/src/a/x.ts', line: 7 }]);
    expect(messagesOf(treeOf('a/x.ts -> ../b/y.ts', 'b/y.ts -> ../c/z.ts', 'c/z.ts -> ../a/v.ts', 'd/x.ts -> ../a/x.ts'))).toEqual([
      'folders import each other in a cycle (a -> b, b -> c, c -> a): move what both need below them, or what needs both above',
    ]);
  });

  it('are folders at any depth, and src itself is one', () => {
    expect(messagesOf(treeOf('a/x.ts -> ./b/y.ts', 'a/b/y.ts -> ../z.ts'))).toEqual([expect.stringContaining('(a -> a/b, a/b -> a)')]);
    expect(messagesOf(treeOf('x.ts -> ./a/y.ts', 'a/y.ts -> ../z.ts'))).toEqual([expect.stringContaining('(. -> a, a -> .)')]);
  });

  it('are not tied together by what the package exports, nor by tests or other packages', () => {
    expect(messagesOf(treeOf('index.ts -> ./a/x.ts', 'a/x.ts -> ../y.ts'))).toEqual([]);
    expect(messagesOf(treeOf('a/x.test.ts -> ../b/y.ts', 'b/y.ts -> ../a/x.ts'))).toEqual([]);
    expect(messagesOf(treeOf('a/x.ts -> @q/other', 'b/y.ts -> ../../test/z.ts'))).toEqual([]);
  });
});
