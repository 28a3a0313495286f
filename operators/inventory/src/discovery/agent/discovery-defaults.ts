/** Name of the agents' DaemonSet, of their service account, and their label app.kubernetes.io/name. */
export const discoveryName = 'quartermaster-discovery';

/** Port on which an agent serves usage. */
export const discoveryPort = 8444;

/** Tokens that are shown to agents are made for this audience, so that an agent cannot use them for anything else. */
export const discoveryAudience = 'quartermaster-discovery';

/** Service account of the operator, which alone may ask agents. */
export const operatorAccount = 'quartermaster-inventory';

/** Folders of node-local storage whose filesystems are measured: of the usual provisioner, and of the kubelet. */
export const discoveryPaths: readonly string[] = ['/opt/local-path-provisioner', '/var/lib/kubelet'];
