import type { KubeClient } from '@quartermaster/kube';

/**
 * A Kubernetes API server that the contract suites run against: the real one, and the simulator, which claims to behave
 * like it. The suites use nothing else of it.
 */
export interface ContractServer {
  /** Path of an administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** As administrator. Shared by the suite; closed with the server. */
  readonly client: KubeClient;
  /** Whether it refuses what RBAC does not allow. Cases about that are skipped, visibly, where it does not. */
  readonly enforcesRbac: boolean;
  /** Whether controllers make pods of workloads. Cases about that are skipped, visibly, where none do. */
  readonly runsWorkloads: boolean;
  /** Makes a namespace of its own for a test and returns its name. */
  namespace(): Promise<string>;
  /** A kubeconfig of a service account without any rights, in the given namespace. */
  unprivilegedKubeconfig(namespace: string): Promise<string>;
  stop(): Promise<void>;
}
