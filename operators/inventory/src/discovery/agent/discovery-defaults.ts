/** Name of the agents' DaemonSet, of their service account, and their label app.kubernetes.io/name. */
export const discoveryName = 'quartermaster-discovery';

/** Port on which an agent serves facts and usage. */
export const discoveryPort = 8444;

/** Folders of node-local storage whose filesystems are measured: of the usual provisioner, and of the kubelet. */
export const discoveryPaths: readonly string[] = ['/opt/local-path-provisioner', '/var/lib/kubelet'];
