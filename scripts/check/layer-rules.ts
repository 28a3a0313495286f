/**
 * The dependency rules of the workspace, as pure functions of what its files import.
 *
 *   apps -> services, operators, sources, simulator -> dns, lib, api -> lib/kernel
 *
 * Packages on one level never import each other: they meet in contracts (custom resources, gRPC, topics). The
 * exceptions are written down here: what a package of lib may use of lib, the engine under the sources, and the contracts that the host of roles serves.
 */
import { isBuiltin } from 'node:module';
import { posix } from 'node:path';

/** A package of the workspace. The root is one too, with the folder ''. */
export interface WorkspacePackage {
  /** Relative to the root, without a slash at the end. */
  readonly folder: string;
  readonly name: string;
  readonly dependencies: ReadonlySet<string>;
  /** The sub-paths that others may import: '.', './testing'. */
  readonly entryPoints: ReadonlySet<string>;
}

export interface SourceFile {
  /** Relative to the root. */
  readonly path: string;
  readonly lineCount: number;
  readonly imports: readonly Import[];
}

export interface Import {
  readonly specifier: string;
  readonly line: number;
}

export interface Tree {
  readonly packages: readonly WorkspacePackage[];
  readonly files: readonly SourceFile[];
}

export interface Violation {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

const maxLines = 300;
const tooling = ['test', 'bench', 'scripts'];

// package of lib -> the packages of lib that it may import
export const libTable: ReadonlyMap<string, readonly string[]> = new Map([
  ['kernel', []],
  ['kube', ['kernel']],
  ['controller', ['kernel', 'kube']],
  ['bus', ['kernel']],
  ['service', ['kernel']],
  ['store', ['kernel']],
  ['rpc', ['kernel']],
  ['auth', ['kernel', 'rpc']],
  ['objects', ['kernel', 'rpc', 'store', 'auth']],
  ['bmc', ['kernel']],
  ['runtime', ['kernel', 'kube', 'controller', 'bus', 'rpc', 'service', 'store', 'auth']],
]);

// family -> the families below it, of which it may import every package
const below: ReadonlyMap<string, readonly string[]> = new Map([
  ['apps', ['services', 'operators', 'sources', 'simulator', 'dns', 'lib', 'api']],
  ['services', ['dns', 'lib', 'api']],
  ['operators', ['dns', 'lib', 'api']],
  ['sources', ['dns', 'lib', 'api']],
  ['simulator', ['dns', 'lib', 'api']],
  ['dns', []],
  ['api', []],
  ['lib', []],
]);

/** Every violation of the rules, in the order of the files. */
export function findViolations(tree: Tree): Violation[] {
  const packages = new Map(tree.packages.map((each) => [each.name, each])); // name -> package
  return tree.files.flatMap((file) => {
    const owner = ownerOf(file.path, tree.packages);
    const messages = file.imports.flatMap(({ specifier, line }) =>
      problemsOf(file.path, owner, specifier, packages, tree.packages).map((text) => ({ file: file.path, line, message: text })),
    );
    return [...messages, ...lengthProblem(file)];
  });
}

/** Whether a file is a test or part of what tests share: it may use the development dependencies of the root. */
const isTestCode = (path: string): boolean => path.endsWith('.test.ts') || /(^|\/)test\//.test(path);

function lengthProblem(file: SourceFile): Violation[] {
  if (file.lineCount <= maxLines || file.path.endsWith('.test.ts') || /(^|\/)generated\//.test(file.path)) return [];
  return [{ file: file.path, line: maxLines + 1, message: `${file.lineCount} lines, over the limit of ${maxLines}: split it by concept` }];
}

function problemsOf(
  path: string,
  owner: WorkspacePackage,
  specifier: string,
  byName: ReadonlyMap<string, WorkspacePackage>,
  packages: readonly WorkspacePackage[],
): string[] {
  if (specifier.startsWith('.')) return relativeProblem(path, owner, specifier, packages);
  if (specifier.startsWith('#'))
    return [`imports '${specifier}': sub-path imports are not used here; import the file by its relative path`];
  const name = packageNameOf(specifier);
  const target = byName.get(name);
  if (target === undefined) return outsideProblems(path, owner, specifier, byName);
  if (target === owner) {
    return [`imports its own package as '${specifier}': import the file by its relative path`];
  }
  return [...directionProblem(path, owner, target), ...declaredProblem(path, owner, name, byName), ...entryPointProblem(specifier, target)];
}

function relativeProblem(path: string, owner: WorkspacePackage, specifier: string, packages: readonly WorkspacePackage[]): string[] {
  const resolved = posix.join(posix.dirname(path), specifier);
  const target = resolved.startsWith('..') ? undefined : ownerOf(resolved, packages);
  if (target === owner || bothAreTooling(path, resolved)) return [];
  const place = target === undefined ? 'the workspace' : `the package folder ${owner.folder === '' ? 'of the root' : owner.folder}`;
  const wayOut = target === undefined || target.folder === '' ? 'move the file into this package' : `import ${target.name} by name`;
  return [`imports '${specifier}', which leaves ${place}: ${wayOut}`];
}

/** scripts has no package of its own, so that it runs before installation: it and test or bench reach each other by path. */
function bothAreTooling(path: string, resolved: string): boolean {
  const families = [placeOf(path).family, placeOf(resolved).family];
  return families.includes('scripts') && families.every((family) => tooling.includes(family));
}

function outsideProblems(
  path: string,
  owner: WorkspacePackage,
  specifier: string,
  byName: ReadonlyMap<string, WorkspacePackage>,
): string[] {
  if (isBuiltin(specifier) && !specifier.startsWith('node:')) return [`imports '${specifier}': write 'node:${specifier}'`];
  const isPure = owner.folder === 'lib/kernel' && !isTestCode(path);
  if (isPure) {
    return [
      `imports '${specifier}': lib/kernel imports nothing and does no I/O; take the value as a parameter, or move the code up to lib`,
    ];
  }
  return isBuiltin(specifier) ? [] : declaredProblem(path, owner, packageNameOf(specifier), byName);
}

function declaredProblem(path: string, owner: WorkspacePackage, name: string, byName: ReadonlyMap<string, WorkspacePackage>): string[] {
  if (owner.dependencies.has(name)) return [];
  const root = [...byName.values()].find((each) => each.folder === '');
  if (isTestCode(path) && root?.dependencies.has(name) === true) return [];
  const manifest = posix.join(owner.folder, 'package.json');
  return [`imports '${name}', which ${manifest} does not declare: add it to its dependencies, with an exact version`];
}

function entryPointProblem(specifier: string, target: WorkspacePackage): string[] {
  const entryPoint = `.${specifier.slice(target.name.length)}`;
  if (target.entryPoints.has(entryPoint)) return [];
  const offered = [...target.entryPoints].map((each) => posix.join(target.name, each)).join(', ');
  return [`imports '${specifier}', an inner file of ${target.name}: import what it exports (${offered}), or export more there`];
}

function directionProblem(path: string, owner: WorkspacePackage, target: WorkspacePackage): string[] {
  const from = placeOf(owner.folder === '' ? path : owner.folder);
  const to = placeOf(target.folder);
  if (tooling.includes(from.family)) return [];
  const problem = (rule: string, wayOut: string) => [`imports ${target.name}: ${rule}; ${wayOut}`];

  if (tooling.includes(to.family)) {
    return problem(
      `only test, bench and scripts may import from ${to.family}`,
      `move what is shared to lib, or move this file to ${to.family}`,
    );
  }
  if (from.family === 'lib' && to.family === 'lib') {
    const allowed = libTable.get(from.member);
    if (allowed?.includes(to.member) === true) return [];
    const list = allowed === undefined ? 'has no entry in the table of lib' : `may import ${allowed.join(', ') || 'nothing'} of lib`;
    return problem(`lib/${from.member} ${list}`, 'move the shared code down, or change the table in layer-rules.ts and say why');
  }
  if (to.family === 'lib' && to.member === 'kernel') return [];
  // What it does for every role it also serves for every role: removals that wait for a person are a contract like any other.
  if (from.family === 'lib' && from.member === 'runtime' && to.family === 'api') return [];
  if (from.family === 'sources' && to.family === 'sources' && to.member === 'sync' && from.member !== 'sync') return [];
  // One executable serves the console.
  if (from.family === 'apps' && to.family === 'apps' && from.member === 'quartermaster' && to.member === 'console') return [];
  const families = below.get(from.family);
  if (families === undefined) return problem(`${from.family} has no place in the layers`, 'give it one in layer-rules.ts');
  if (families.includes(to.family)) return [];
  const rule =
    from.family === to.family ? `packages of ${from.family} never import each other` : `${from.family} may not import ${to.family}`;
  const allowed = families.length === 0 ? 'lib/kernel only' : families.join(', ');
  return problem(`${rule} (${from.family} -> ${allowed})`, 'let them meet in a contract of api, or move the shared code to lib');
}

/** 'lib/kube' is the member kube of the family lib; 'simulator' is a family of one. */
function placeOf(folder: string): { family: string; member: string } {
  const [family = '', member = ''] = folder.split('/');
  return { family, member };
}

function ownerOf(path: string, packages: readonly WorkspacePackage[]): WorkspacePackage {
  const owners = packages.filter(({ folder }) => folder === '' || path === folder || path.startsWith(`${folder}/`));
  const nearest = owners.toSorted((a, b) => b.folder.length - a.folder.length)[0];
  if (nearest === undefined) throw new Error(`${path} belongs to no package: the tree needs a package with the folder ''`);
  return nearest;
}

function packageNameOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
