/** The nodes of the cluster, for classes whose space is on some of them. */
export interface ClusterNodes {
  nodes(): Iterable<LabelledNode>;
  /** Calls back when nodes come, go, are labelled anew or get another size. Returns how to end it. */
  subscribe(changed: () => void): () => void;
}

export interface LabelledNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The size of the filesystem with its ephemeral storage, as its kubelet writes it; undefined where it has none to give. */
  readonly ephemeralSize?: string | undefined;
}

/** Labels that name one node, of Kubernetes and of drivers: kubernetes.io/hostname, topology.topolvm.io/node, openebs.io/nodename. */
export const nodeLabel = /(^|\/)(hostname|node|nodename|node-name)$/;

const hostnameLabel = 'kubernetes.io/hostname';

/** The node that a volume means: some name it by its host name, which need not be the name of the node. */
export function nodeFinder(nodes: readonly LabelledNode[]): (nameOrHostname: string) => string {
  const names = new Set(nodes.map(({ name }) => name));
  const byHostname = new Map(nodes.map(({ name, labels }) => [labels[hostnameLabel] ?? name, name]));
  return (node) => (names.has(node) ? node : (byHostname.get(node) ?? node));
}
