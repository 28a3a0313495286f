/** Name of the agents' DaemonSet, of their service account, and their label app.kubernetes.io/name. */
export const discoveryName = 'quartermaster-discovery';

/** Port on which an agent serves usage. */
export const discoveryPort = 8444;

/** Tokens that are shown to agents are made for this audience, so that an agent cannot use them for anything else. */
export const discoveryAudience = 'quartermaster-discovery';

/** Service account of the operator, which alone may ask agents. */
export const operatorAccount = 'quartermaster-inventory';

/** Folders of storage on nodes whose filesystems are measured: of local-path as it ships, of the one in k3s, of OpenEBS and of Longhorn. */
export const discoveryPaths: readonly string[] = [
  '/opt/local-path-provisioner',
  '/var/lib/rancher/k3s/storage',
  '/var/openebs/local',
  '/var/lib/longhorn',
];

/** Where a kubelet keeps pods' ephemeral storage unless it is told otherwise. */
export const usualKubeletPath = '/var/lib/kubelet';
