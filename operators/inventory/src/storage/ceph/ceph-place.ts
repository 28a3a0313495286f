/** Where a class or a volume lies, as its parameters name it. */
export interface CephPlace {
  /** The namespace of the CephCluster. */
  readonly clusterId: string;
  /** The pool that takes the data; undefined where the filesystem decides. */
  readonly pool?: string | undefined;
  readonly filesystem?: string | undefined;
}

/** The provisioner's name begins with the namespace of Rook's operator, which is anybody's choice. */
const blockSuffix = '.rbd.csi.ceph.com';
const filesystemSuffix = '.cephfs.csi.ceph.com';

export function isCephProvisioner(provisioner: string): boolean {
  return provisioner.endsWith(blockSuffix) || provisioner.endsWith(filesystemSuffix);
}

/** By the parameters of a class, or by the attributes of a volume, which repeat them. Undefined when they do not name a cluster. */
export function cephPlaceOf(provisioner: string, parameters: Readonly<Record<string, string>>): CephPlace | undefined {
  const { clusterID: clusterId, pool, dataPool, fsName } = parameters;
  if (clusterId === undefined || clusterId === '') return undefined;
  if (provisioner.endsWith(filesystemSuffix)) return { clusterId, pool, filesystem: fsName };
  // An erasure-coded pool holds the data of images whose metadata is in a replicated one.
  return { clusterId, pool: dataPool ?? pool };
}
