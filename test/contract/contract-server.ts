import { randomUUID } from 'node:crypto';
import { type KubeClient, kinds } from '@quartermaster/kube';

/**
 * A Kubernetes API server that the contract suites run against: the real one, and the simulator, which claims to behave
 * like it. The suites use nothing else of it.
 */
export interface ContractServer {
  /** Path of an administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** As administrator. Shared by the suite; closed with the server. */
  readonly client: KubeClient;
  /** Makes a namespace of its own for a test and returns its name. */
  namespace(): Promise<string>;
  stop(): Promise<void>;
}

/** Makes namespaces, each with a name that no other test of the server has. */
export function namespaces(client: KubeClient): () => Promise<string> {
  return async () => {
    const name = `contract-${randomUUID().slice(0, 8)}`;
    await client.create(kinds.namespaces, { metadata: { name } });
    return name;
  };
}
