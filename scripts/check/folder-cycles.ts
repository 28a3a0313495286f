/**
 * Folders of a package import each other in one direction: whoever reads one knows what lies below it. `src` itself counts as a folder, but for its index.ts, which
 * only says what the package exports. Tests may import whatever they test.
 */
import { posix } from 'node:path';
import type { SourceFile, Tree, Violation } from './layer-rules.ts';

interface Step {
  readonly from: string;
  readonly to: string;
  readonly file: SourceFile;
  readonly line: number;
}

/** Every set of folders of a package that import each other in a circle. */
export function findFolderCycles({ packages, files }: Tree): Violation[] {
  return packages.flatMap(({ folder }) => {
    const steps = stepsIn(posix.join(folder, 'src'), files);
    return tanglesOf(steps).map((tangle) => violationOf(tangle, steps));
  });
}

function stepsIn(source: string, files: readonly SourceFile[]): Step[] {
  const isWithin = (path: string): boolean => path.startsWith(`${source}/`);
  const folderOf = (path: string): string => posix.dirname(posix.relative(source, path));
  const own = files.filter(({ path }) => isWithin(path) && !/\.test\.tsx?$/.test(path) && path !== `${source}/index.ts`);
  return own.flatMap((file) =>
    file.imports.flatMap(({ specifier, line }) => {
      const target = posix.join(posix.dirname(file.path), specifier);
      if (!specifier.startsWith('.') || !isWithin(target)) return [];
      const step = { from: folderOf(file.path), to: folderOf(target), file, line };
      return step.from === step.to ? [] : [step];
    }),
  );
}

/** Sets of folders that all reach each other, sorted. */
function tanglesOf(steps: readonly Step[]): string[][] {
  const next = Map.groupBy(steps, ({ from }) => from);
  const reached = new Map<string, ReadonlySet<string>>(); // folder -> all that it imports, directly or not
  for (const start of next.keys()) {
    const seen = new Set<string>();
    const open = [start];
    for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
      for (const { to } of next.get(folder) ?? []) {
        if (seen.has(to)) continue;
        seen.add(to);
        open.push(to);
      }
    }
    reached.set(start, seen);
  }
  const tangled = [...next.keys()].filter((folder) => reached.get(folder)?.has(folder) === true);
  const tangles = tangled.map((folder) =>
    tangled.filter((other) => reached.get(folder)?.has(other) === true && reached.get(other)?.has(folder) === true),
  );
  return [...new Map(tangles.map((tangle) => [tangle.toSorted().join('\n'), tangle.toSorted()])).values()];
}

function violationOf(tangle: readonly string[], steps: readonly Step[]): Violation {
  const within = steps.filter(({ from, to }) => tangle.includes(from) && tangle.includes(to));
  const pairs = [...new Set(within.map(({ from, to }) => `${from} -> ${to}`))].toSorted();
  return {
    file: within[0]?.file.path ?? '',
    line: within[0]?.line ?? 1,
    message: `folders import each other in a cycle (${pairs.join(', ')}): move what both need below them, or what needs both above`,
  };
}
