import { posix } from 'node:path';

/** One way to run a tool. */
export interface ToolPlace {
  /** On the filesystem of this process. */
  readonly file: string;
  /** The folder that becomes the root of the tool: its own libraries are found there. */
  readonly chroot?: string | undefined;
  /** Where the tool's libraries lie when its installer keeps them beside it. */
  readonly libraries?: readonly string[] | undefined;
}

const usualFolders = [
  '/usr/bin',
  '/usr/local/bin',
  '/bin',
  // Where container runtimes and node installers of cloud providers put the driver's tools.
  '/usr/local/nvidia/bin',
  '/opt/bin',
  '/opt/nvidia/bin',
  '/home/kubernetes/bin/nvidia/bin',
  '/opt/rocm/bin',
];

const systemFolders = new Set(['/usr/bin', '/usr/local/bin', '/bin', '/sbin', '/usr/sbin', '/usr/local/sbin']);

/** A driver that itself runs in a container keeps its root here. */
const driverRoot = '/run/nvidia/driver';

/**
 * Where to look for a tool, best first: the search path, the usual folders, a containerised driver, and all of that under the host's root,
 * which a pod sees as a folder. Programs of another root run inside of it, since they need the libraries that lie there.
 */
export function toolPlaces(name: string, searchPath: string, hostRoot: string): ToolPlace[] {
  const searched = searchPath.split(':').filter((folder) => folder.startsWith('/'));
  const own = [...new Set([...searched, ...usualFolders])].map((folder) => placeIn(folder, name));
  const ownDriver = inRoot(driverRoot, name);
  if (hostRoot === '/') return [...own, ownDriver];
  const host = usualFolders.map((folder) => ({ ...placeIn(folder, name), file: posix.join(hostRoot, folder, name), chroot: hostRoot }));
  return [...own, ownDriver, inRoot(posix.join(hostRoot, driverRoot), name), ...host];
}

function placeIn(folder: string, name: string): ToolPlace {
  const file = posix.join(folder, name);
  if (systemFolders.has(folder)) return { file };
  const base = posix.dirname(folder);
  return { file, libraries: [posix.join(base, 'lib64'), posix.join(base, 'lib')] };
}

const inRoot = (root: string, name: string): ToolPlace => ({ file: posix.join(root, '/usr/bin', name), chroot: root });
