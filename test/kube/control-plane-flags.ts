import { join } from 'node:path';
import { serviceAccountIssuer } from './service-account-token.ts';

/** A process of the control plane. */
export const processNames = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;
export type ProcessName = (typeof processNames)[number];

export interface Ports {
  readonly etcdClient: number;
  readonly etcdPeer: number;
  readonly apiServer: number;
  readonly controllerManager: number;
  readonly scheduler: number;
}

/** The first address of the service range: the API server's own, inside the cluster. */
export const kubernetesServiceAddress = '10.96.0.1';

/** Paths of the files that the processes read and write. */
export const filesIn = (directory: string) => ({
  etcdData: join(directory, 'etcd'),
  authorityCertificate: join(directory, 'ca.crt'),
  authorityKey: join(directory, 'ca.key'),
  servingCertificate: join(directory, 'serving.crt'),
  servingKey: join(directory, 'serving.key'),
  accountsPublicKey: join(directory, 'service-accounts.pub'),
  accountsPrivateKey: join(directory, 'service-accounts.key'),
  adminKubeconfig: join(directory, 'admin.kubeconfig'),
  controllerManagerKubeconfig: join(directory, 'kube-controller-manager.kubeconfig'),
  schedulerKubeconfig: join(directory, 'kube-scheduler.kubeconfig'),
  auditPolicy: join(directory, 'audit-policy.yaml'),
  auditLog: join(directory, 'audit.log'),
  kubectlCache: join(directory, 'kubectl-cache'),
});

/** How much an audit line tells: who asked for what, or also the body of that, or those of both. */
export type AuditLevel = 'Metadata' | 'Request' | 'RequestResponse';

export type ControlPlaneFiles = ReturnType<typeof filesIn>;

export const etcdUrl = (ports: Ports): string => `http://127.0.0.1:${ports.etcdClient}`;

/** The flags of every process. They differ from production only in what a loopback address and a throw-away disk ask for. */
export function flagsOf(name: ProcessName, files: ControlPlaneFiles, ports: Ports, options: { readonly audit: boolean }): string[] {
  const peerUrl = `http://127.0.0.1:${ports.etcdPeer}`;
  switch (name) {
    case 'etcd':
      return [
        `--data-dir=${files.etcdData}`,
        `--listen-client-urls=${etcdUrl(ports)}`,
        `--advertise-client-urls=${etcdUrl(ports)}`,
        `--listen-peer-urls=${peerUrl}`,
        `--initial-advertise-peer-urls=${peerUrl}`,
        `--initial-cluster=default=${peerUrl}`,
        '--unsafe-no-fsync',
      ];
    case 'kube-apiserver':
      return [
        `--etcd-servers=${etcdUrl(ports)}`,
        '--bind-address=127.0.0.1',
        '--advertise-address=127.0.0.1',
        `--secure-port=${ports.apiServer}`,
        `--tls-cert-file=${files.servingCertificate}`,
        `--tls-private-key-file=${files.servingKey}`,
        `--client-ca-file=${files.authorityCertificate}`,
        `--service-account-key-file=${files.accountsPublicKey}`,
        `--service-account-signing-key-file=${files.accountsPrivateKey}`,
        `--service-account-issuer=${serviceAccountIssuer}`,
        '--authorization-mode=RBAC',
        '--service-cluster-ip-range=10.96.0.0/16',
        '--allow-privileged=true',
        '--endpoint-reconciler-type=none',
        // Without it, SIGTERM leaves watches open and the server waits a minute for their clients to go.
        '--shutdown-watch-termination-grace-period=1s',
        ...(options.audit ? auditFlags(files) : []),
      ];
    case 'kube-controller-manager':
      return [
        `--kubeconfig=${files.controllerManagerKubeconfig}`,
        `--service-account-private-key-file=${files.accountsPrivateKey}`,
        `--root-ca-file=${files.authorityCertificate}`,
        `--cluster-signing-cert-file=${files.authorityCertificate}`,
        `--cluster-signing-key-file=${files.authorityKey}`,
        '--use-service-account-credentials=true',
        '--leader-elect=false',
        // At its default of 20 requests a second it takes 5 s to make its controllers' own accounts before any of them runs.
        '--kube-api-qps=200',
        '--kube-api-burst=400',
        ...healthFlags(ports.controllerManager, files),
      ];
    case 'kube-scheduler':
      return [`--kubeconfig=${files.schedulerKubeconfig}`, '--leader-elect=false', ...healthFlags(ports.scheduler, files)];
  }
}

/** Every request once, when it is answered, written before the answer goes out and never rotated away. */
export const auditPolicy = (level: AuditLevel): object => ({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level }],
});

const auditFlags = (files: ControlPlaneFiles): string[] => [
  `--audit-policy-file=${files.auditPolicy}`,
  `--audit-log-path=${files.auditLog}`,
  '--audit-log-format=json',
  '--audit-log-mode=blocking',
  '--audit-log-maxsize=0',
];

const healthFlags = (port: number, files: ControlPlaneFiles): string[] => [
  '--bind-address=127.0.0.1',
  `--secure-port=${port}`,
  `--tls-cert-file=${files.servingCertificate}`,
  `--tls-private-key-file=${files.servingKey}`,
];
