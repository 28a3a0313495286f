/** Reads the workspace, applies the rules of layer-rules.ts and lists the violations. Exit code 1 when there are any. */
import { globSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { findFolderCycles } from './folder-cycles.ts';
import { findViolations, type Import, type SourceFile, type Tree, type WorkspacePackage } from './layer-rules.ts';

interface Manifest {
  readonly name: string;
  readonly exports?: string | Readonly<Record<string, unknown>>;
  readonly workspaces?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const root = resolve(import.meta.dirname, '../..');
const sourceName = /\.(ts|tsx|mts|mjs|js)$/;
const isSkipped = (name: string): boolean => /(^|\/)(node_modules|go|coverage)$/.test(name) || /(^|\/)\./.test(name);

function readTree(): Tree {
  const rootManifest = readManifest('package.json');
  const patterns = (rootManifest.workspaces ?? []).map((workspace) => `${workspace}/package.json`);
  const manifests = ['package.json', ...globSync(patterns, { cwd: root, exclude: isSkipped })];
  return {
    packages: manifests.map(readPackage),
    files: globSync('**/*', { cwd: root, exclude: isSkipped })
      .filter((path) => sourceName.test(path))
      .toSorted()
      .map(readSource),
  };
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(resolve(root, path), 'utf8')) as Manifest;
}

function readPackage(path: string): WorkspacePackage {
  const { name, exports, dependencies, devDependencies } = readManifest(path);
  return {
    folder: relative(root, resolve(root, path, '..')),
    name,
    dependencies: new Set(Object.keys({ ...dependencies, ...devDependencies })),
    entryPoints: new Set(typeof exports === 'object' ? Object.keys(exports) : exports === undefined ? [] : ['.']),
  };
}

function readSource(path: string): SourceFile {
  const text = readFileSync(resolve(root, path), 'utf8');
  const { program, module, errors } = parseSync(path, text);
  const broken = errors[0];
  if (broken !== undefined) throw new Error(`${path} does not parse: ${broken.message}`);

  const imports: Import[] = [];
  const add = (specifier: string, offset: number): void => {
    imports.push({ specifier, line: text.slice(0, offset).split('\n').length });
  };
  for (const each of module.staticImports) add(each.moduleRequest.value, each.start);
  for (const each of module.staticExports) {
    const from = each.entries.find((entry) => entry.moduleRequest !== null)?.moduleRequest;
    if (from) add(from.value, each.start);
  }
  new Visitor({
    ImportExpression: ({ source, start }) => {
      if (source.type === 'Literal' && typeof source.value === 'string') add(source.value, start);
    },
    TSImportType: ({ source, start }) => add(source.value, start),
  }).visit(program);
  return { path, lineCount: text.split('\n').length - (text.endsWith('\n') ? 1 : 0), imports };
}

const tree = readTree();
const violations = [...findViolations(tree), ...findFolderCycles(tree)];
for (const { file, line, message } of violations) console.log(`${file}:${line} ${message}`);
if (violations.length === 0) console.log(`${tree.files.length} files in ${tree.packages.length} packages`);
process.exitCode = violations.length === 0 ? 0 : 1;
