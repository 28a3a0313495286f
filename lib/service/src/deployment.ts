/** What a role needs in a cluster, beside its declaration. Nothing is read until somebody asks for it with `readDeployment`. */
export interface Deployment {
  /** Folder of YAML files, applied in the order of their names. */
  readonly folder: URL;
  /** CRDs and policies of api that must be there before, by name. */
  readonly contracts: readonly string[];
  /** Files that are applied only when asked for by name, e.g. `ceph-toolbox-rbac`. */
  readonly optional?: readonly string[];
}
