import { readFile } from 'node:fs/promises';

/** `rbac`: the operator's account and rights. `operator`: what runs. `ceph-toolbox-rbac`: rights in a namespace with Rook's toolbox. */
export type DeployName = 'rbac' | 'operator' | 'ceph-toolbox-rbac';

/** The YAML of what the operator needs in a cluster, of several documents, for the namespace and the image `quartermaster`. */
export async function deployText(name: DeployName): Promise<string> {
  return await readFile(new URL(`../../deploy/${name}.yaml`, import.meta.url), 'utf8');
}
