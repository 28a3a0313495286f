import { readFile } from 'node:fs/promises';

interface LockEntry {
  readonly link?: boolean;
  /** Of a link: the workspace. */
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export interface ProductionPackages {
  /** Folders of packages of others, relative to the root. */
  readonly installed: readonly string[];
  /** Folders of our own packages, and where they are linked. */
  readonly workspaces: ReadonlyMap<string, string>;
}

/** What npm installs for one package of ours without development and optional dependencies, by the lock file. */
export function productionPackages(lockFile: string, workspace: string): Promise<ProductionPackages> {
  return packagesOf(lockFile, workspace, ({ dependencies }) => ({ ...dependencies }));
}

/** The same with both. Of the optional ones, those for other platforms are not there. */
export function developmentPackages(lockFile: string, workspace: string): Promise<ProductionPackages> {
  return packagesOf(lockFile, workspace, ({ dependencies, devDependencies, optionalDependencies }, at) => ({
    ...dependencies,
    ...optionalDependencies,
    ...(at === workspace ? devDependencies : {}),
  }));
}

async function packagesOf(
  lockFile: string,
  workspace: string,
  needs: (entry: LockEntry, at: string) => Readonly<Record<string, string>>,
): Promise<ProductionPackages> {
  const { packages } = JSON.parse(await readFile(lockFile, 'utf8')) as { readonly packages: Readonly<Record<string, LockEntry>> };
  const seen = new Set<string>();
  const workspaces = new Map<string, string>();
  const waiting = [workspace];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    const entry = packages[at] ?? {};
    const { link = false, resolved = '', peerDependencies = {}, peerDependenciesMeta = {} } = entry;
    if (link) {
      workspaces.set(resolved, at);
      waiting.push(resolved);
      continue;
    }
    const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
    for (const name of [...Object.keys(needs(entry, at)), ...peers]) {
      const found = locate(packages, name, at);
      if (found !== undefined) waiting.push(found);
    }
  }
  return { installed: [...seen].filter((location) => location.includes('node_modules/') && packages[location]?.link !== true), workspaces };
}

/** Where Node finds a package from a folder: in the nearest node_modules above it. */
function locate(packages: Readonly<Record<string, LockEntry>>, name: string, from: string): string | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(at.lastIndexOf('/'), 0))) {
    const candidate = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (packages[candidate] !== undefined) return candidate;
    if (at === '') return undefined;
  }
}
