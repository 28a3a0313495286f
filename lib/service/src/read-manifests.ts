import { readdir, readFile } from 'node:fs/promises';

/** An object for `kubectl apply`, as far as all kinds are alike. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** What a role needs in a cluster, beside its declaration. Nothing is read until somebody asks for it with `readDeployment`. */
export interface Deployment {
  /** Folder of YAML files, applied in the order of their names. */
  readonly folder: URL;
  /** CRDs and policies of api that must be there before, by name. */
  readonly contracts: readonly string[];
  /** Files that are applied only when asked for by name, e.g. `ceph-toolbox-rbac`. */
  readonly optional?: readonly string[] | undefined;
}

const extension = '.yaml';

/** The objects of YAML files in a folder, which are named without their extension, in the order of these names. */
export async function readManifests(folder: URL, names: readonly string[]): Promise<readonly Manifest[]> {
  const { parseAllDocuments } = await import('yaml');
  const texts = await Promise.all(names.map((name) => readFile(new URL(`${name}${extension}`, folder), 'utf8')));
  return texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Manifest));
}

/** What is always applied for a role, in its order: without the contracts and the optional files. */
export async function readDeployment({ folder, optional = [] }: Deployment): Promise<readonly Manifest[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(extension)).toSorted();
  const names = files.map((file) => file.slice(0, -extension.length));
  return await readManifests(
    folder,
    names.filter((name) => !optional.includes(name)),
  );
}
