import type { CertificateAuthority } from './certificates.ts';
import type { AuditLevel, ProcessName } from './control-plane-flags.ts';
import type { KubeconfigUser } from './kubeconfig.ts';
import type { KubectlResult } from './kubectl.ts';
import type { ServiceAccountTokenOptions } from './service-account-token.ts';

export interface ControlPlaneOptions {
  /** Whether the controller manager runs; true unless given. Without it nothing makes pods, accounts or endpoints. */
  readonly controllers?: boolean;
  /** Whether the scheduler runs; true unless given. */
  readonly scheduler?: boolean;
  /** Flags after the harness's own, which they override. */
  readonly etcdArgs?: readonly string[] | undefined;
  readonly apiserverArgs?: readonly string[];
  readonly controllerManagerArgs?: readonly string[];
  readonly schedulerArgs?: readonly string[];
  /** Writes one JSON line of this level per answered request, before the answer. No log unless given. */
  readonly audit?: AuditLevel;
  /** Called with what is being waited for. */
  readonly onProgress?: (text: string) => void;
}

export interface KubeconfigOptions {
  readonly user: KubeconfigUser;
  /** Another URL, for instance of a proxy in front. */
  readonly server?: string;
  /** PEM of another authority than the control plane's own. */
  readonly certificateAuthority?: string;
  readonly namespace?: string;
}

/** One process of the control plane, for fault tests. */
export interface ControlPlaneProcess {
  readonly name: ProcessName;
  /** Undefined while it does not run. */
  readonly pid: number | undefined;
  /** Resolves when the process is gone; for SIGSTOP and SIGCONT, when the signal is sent. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Starts it again with the same flags and ports; resolves when it is ready. */
  start(): Promise<void>;
}

/** A real Kubernetes control plane on loopback, in a temporary directory, with RBAC. */
export interface ControlPlane {
  /** Path of the administrator's kubeconfig (group system:masters), with certificates embedded. */
  readonly kubeconfig: string;
  /** https://127.0.0.1:port */
  readonly server: string;
  /** Holds data, certificates and `<process>.log` files until the control plane is stopped. */
  readonly directory: string;
  /** Path of the audit log, when it was asked for. */
  readonly auditLog: string | undefined;
  /** Certificates it issues for clients are accepted by the API server. */
  readonly certificateAuthority: CertificateAuthority;
  /** Signs a token that the API server accepts, with any lifetime (a real TokenRequest gives at least 10 minutes). */
  serviceAccountToken(account: ServiceAccountTokenOptions): string;
  /** Writes a kubeconfig for another user or another way to the server; returns its path. */
  writeKubeconfig(options: KubeconfigOptions): Promise<string>;
  process(name: ProcessName): ControlPlaneProcess;
  /** Replaces the serving certificate on disk; resolves when the API server presents the new one. */
  rotateServingCertificate(): Promise<void>;
  /** Compacts etcd to its current revision, which it returns: older resourceVersions are gone. */
  compact(): Promise<bigint>;
  /** Runs kubectl as administrator. A failure of the command is a result, not an error. */
  kubectl(args: readonly string[], input?: string): Promise<KubectlResult>;
  /** Stops every process and removes the directory. Idempotent. Happens by itself when this process ends. */
  stop(): Promise<void>;
}
