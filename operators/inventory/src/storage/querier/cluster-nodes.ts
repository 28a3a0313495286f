/** The nodes of the cluster, for classes whose space is on some of them. */
export interface ClusterNodes {
  nodes(): Iterable<LabelledNode>;
  /** Calls back when nodes come, go or are labelled anew. Returns how to end it. */
  subscribe(changed: () => void): () => void;
}

export interface LabelledNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Labels that name one node, of Kubernetes and of drivers: kubernetes.io/hostname, topology.topolvm.io/node, openebs.io/nodename. */
export const nodeLabel = /(^|\/)(hostname|node|nodename|node-name)$/;

const hostnameLabel = 'kubernetes.io/hostname';

/** Host name -> node. Volumes name nodes by the former, which need not be the name of the node. */
export function nodesByHostname(nodes: Iterable<LabelledNode>): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { name, labels } of nodes) found.set(labels[hostnameLabel] ?? name, name);
  return found;
}
