import { InvalidArgumentError } from 'commander';
import type { Addition } from '../../install/manifests.ts';
import { productImage, productNamespace, version } from '../../product/product.ts';
import type { Declare } from '../command.ts';

interface ManifestsFlags {
  readonly image: string;
  readonly namespace: string;
  readonly cephNamespace: readonly string[];
  readonly with: readonly string[];
  readonly discoveryPath: readonly string[];
}

/** `quartermaster manifests`: what to apply to a cluster to run Quartermaster on it. */
export const declare: Declare = (command, { output }) => {
  command
    .option('--image <image>', 'the image of this product', `${productImage}:${version}`)
    .option('--namespace <namespace>', 'where it runs', namespaceOf, productNamespace)
    .option(
      '--ceph-namespace <namespace>',
      "where Rook's toolbox may be asked for Ceph's own figures; may be given several times",
      (name, names: readonly string[]) => [...names, namespaceOf(name)],
      [],
    )
    .option(
      '--with <part>',
      'an optional part of a role, such as token-review-rbac of service-fulfillment; may be given several times',
      (part, parts: readonly string[]) => [...parts, part],
      [],
    )
    .option(
      '--discovery-path <folder>',
      'a folder in which a node-local storage class keeps its volumes, where that is not one that local-path, k3s or OpenEBS ship with; may be given several times',
      (folder, folders: readonly string[]) => [...folders, folderOf(folder)],
      [],
    )
    .action(async (names: readonly string[], { image, namespace, cephNamespace, with: parts, discoveryPath }: ManifestsFlags) => {
      const [{ assembleManifests }, { roleDeployments }, { stringify }] = await Promise.all([
        import('../../install/manifests.ts'),
        import('../../install/role-deployments.ts'),
        import('yaml'),
      ]);
      const additions: readonly Addition[] = [
        ...cephNamespace.map((ceph) => ({ file: 'ceph-toolbox-rbac', namespaces: { 'rook-ceph': ceph } })),
        ...parts.map((file) => ({ file })),
      ];
      const objects = await assembleManifests(roleDeployments(names), { image, namespace, additions, discoveryPaths: discoveryPath });
      output.out.write(objects.map((object) => stringify(object, { lineWidth: 0 })).join('---\n'));
    });
};

function folderOf(path: string): string {
  if (/^\/[^,\s]*$/.test(path)) return path;
  throw new InvalidArgumentError('a folder on the nodes is an absolute path without commas or spaces, such as /data/volumes');
}

function namespaceOf(name: string): string {
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) return name;
  throw new InvalidArgumentError('a namespace has at most 63 lower-case letters, digits and dashes, none at either end');
}
