import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemRandom } from '@quartermaster/kernel';
import { stringify } from 'yaml';
import { kubeBinary } from './binaries.ts';
import {
  type CertificateAuthority,
  createCertificateAuthority,
  createSigningKeyPair,
  type IssuedCertificate,
  type SigningKeyPair,
} from './certificates.ts';
import { untilReady } from './component-readiness.ts';
import type { ControlPlane, ControlPlaneOptions, ControlPlaneProcess, KubeconfigOptions } from './control-plane-api.ts';
import {
  auditPolicy,
  type ControlPlaneFiles,
  etcdUrl,
  filesIn,
  flagsOf,
  kubernetesServiceAddress,
  type Ports,
  type ProcessName,
} from './control-plane-flags.ts';
import { compactEtcd, isEtcdHealthy } from './etcd.ts';
import { freePorts } from './free-ports.ts';
import { kubeconfigYaml } from './kubeconfig.ts';
import { type KubectlResult, runKubectl } from './kubectl.ts';
import { servedFingerprint, statusOf } from './loopback.ts';
import { type ServiceAccountTokenOptions, signServiceAccountToken } from './service-account-token.ts';
import type { SupervisedProcesses } from './supervised-processes.ts';

interface Identity {
  readonly authority: CertificateAuthority;
  readonly admin: IssuedCertificate;
  readonly accounts: SigningKeyPair;
}

/** What `startControlPlane` makes: first `prepare`, then `startAll`. */
export class LoopbackControlPlane implements ControlPlane {
  readonly server: string;
  readonly #processes: SupervisedProcesses;
  readonly #files: ControlPlaneFiles;
  readonly #ports: Ports;
  readonly #identity: Identity;
  readonly #options: ControlPlaneOptions;
  #writtenKubeconfigs = 0;

  private constructor(processes: SupervisedProcesses, ports: Ports, identity: Identity, options: ControlPlaneOptions) {
    this.#processes = processes;
    this.#files = filesIn(processes.directory);
    this.#ports = ports;
    this.#identity = identity;
    this.#options = options;
    this.server = `https://127.0.0.1:${ports.apiServer}`;
  }

  /** Makes certificates and files; starts nothing. */
  static async prepare(processes: SupervisedProcesses, options: ControlPlaneOptions): Promise<LoopbackControlPlane> {
    const authority = await createCertificateAuthority('quartermaster-test-authority');
    const [ports, accounts, admin] = await Promise.all([
      freePorts(5, systemRandom),
      createSigningKeyPair(),
      authority.issueClient({ commonName: 'admin', organizations: ['system:masters'] }),
    ]);
    const [etcdClient = 0, etcdPeer = 0, apiServer = 0, controllerManager = 0, scheduler = 0] = ports;
    const controlPlane = new LoopbackControlPlane(
      processes,
      { etcdClient, etcdPeer, apiServer, controllerManager, scheduler },
      { authority, admin, accounts },
      options,
    );
    await controlPlane.#writeFiles();
    return controlPlane;
  }

  get kubeconfig(): string {
    return this.#files.adminKubeconfig;
  }

  get directory(): string {
    return this.#processes.directory;
  }

  get auditLog(): string | undefined {
    return this.#options.audit === undefined ? undefined : this.#files.auditLog;
  }

  get certificateAuthority(): CertificateAuthority {
    return this.#identity.authority;
  }

  async startAll(): Promise<void> {
    const { controllers = true, scheduler = true } = this.#options;
    // The API server waits for etcd by itself and has a second of work to do before it needs it.
    await Promise.all([this.#start('etcd'), this.#start('kube-apiserver')]);
    await Promise.all([
      controllers ? this.#start('kube-controller-manager').then(() => this.#untilDefaultAccount()) : this.#untilDefaultNamespace(),
      scheduler ? this.#start('kube-scheduler') : undefined,
    ]);
  }

  serviceAccountToken(account: ServiceAccountTokenOptions): string {
    return signServiceAccountToken(account, this.#identity.accounts.privateKey, Date.now());
  }

  async writeKubeconfig({ user, server, certificateAuthority, namespace }: KubeconfigOptions): Promise<string> {
    this.#writtenKubeconfigs += 1;
    const file = join(this.directory, `user-${this.#writtenKubeconfigs}.kubeconfig`);
    const contents = {
      server: server ?? this.server,
      certificateAuthority: certificateAuthority ?? this.#identity.authority.certificate,
      user,
      ...(namespace === undefined ? {} : { namespace }),
    };
    await writeSecret(file, kubeconfigYaml(contents));
    return file;
  }

  process(name: ProcessName): ControlPlaneProcess {
    const processes = this.#processes;
    return {
      name,
      get pid() {
        return processes.pid(name);
      },
      kill: (signal) => processes.kill(name, signal),
      start: () => this.#start(name),
    };
  }

  async rotateServingCertificate(): Promise<void> {
    const before = await servedFingerprint(this.#ports.apiServer, this.#identity.authority.certificate);
    await this.#writeServingCertificate();
    await untilReady(this.#processes, 'kube-apiserver', async () => {
      const now = await servedFingerprint(this.#ports.apiServer, this.#identity.authority.certificate);
      return now !== before;
    });
  }

  compact(): Promise<bigint> {
    return compactEtcd(etcdUrl(this.#ports));
  }

  kubectl(args: readonly string[], input?: string): Promise<KubectlResult> {
    return runKubectl({ kubeconfig: this.kubeconfig, cacheDirectory: this.#files.kubectlCache }, args, input);
  }

  stop(): Promise<void> {
    return this.#processes.stop();
  }

  async #start(name: ProcessName): Promise<void> {
    this.#options.onProgress?.(`waiting for ${name}`);
    const flags = flagsOf(name, this.#files, this.#ports, { audit: this.#options.audit !== undefined });
    await this.#processes.start(name, kubeBinary(name), [...flags, ...this.#extraFlags(name)]);
    await untilReady(this.#processes, name, () => this.#isReady(name));
  }

  #extraFlags(name: ProcessName): readonly string[] {
    switch (name) {
      case 'etcd':
        return this.#options.etcdArgs ?? [];
      case 'kube-apiserver':
        return this.#options.apiserverArgs ?? [];
      case 'kube-controller-manager':
        return this.#options.controllerManagerArgs ?? [];
      case 'kube-scheduler':
        return this.#options.schedulerArgs ?? [];
    }
  }

  async #isReady(name: ProcessName): Promise<boolean> {
    switch (name) {
      case 'etcd':
        return await isEtcdHealthy(etcdUrl(this.#ports));
      case 'kube-apiserver':
        return await this.#isOk(`${this.server}/readyz`);
      case 'kube-controller-manager':
        return await this.#isOk(`https://127.0.0.1:${this.#ports.controllerManager}/healthz`);
      case 'kube-scheduler':
        return await this.#isOk(`https://127.0.0.1:${this.#ports.scheduler}/readyz`);
    }
  }

  async #isOk(url: string): Promise<boolean> {
    const { authority, admin } = this.#identity;
    return (await statusOf(url, { authority: authority.certificate, client: admin })) === 200;
  }

  /** The API server makes its own namespaces after it says that it is ready, `default` last. */
  async #untilDefaultNamespace(): Promise<void> {
    this.#options.onProgress?.('waiting for the default namespace');
    await untilReady(this.#processes, 'kube-apiserver', () => this.#isOk(`${this.server}/api/v1/namespaces/default`));
  }

  async #untilDefaultAccount(): Promise<void> {
    const account = `${this.server}/api/v1/namespaces/default/serviceaccounts/default`;
    this.#options.onProgress?.('waiting for the default service account');
    await untilReady(this.#processes, 'kube-controller-manager', () => this.#isOk(account));
  }

  async #writeFiles(): Promise<void> {
    const { authority, accounts, admin } = this.#identity;
    const files = this.#files;
    const systemUser = async (file: string, user: string): Promise<void> => {
      const certificate = await authority.issueClient({ commonName: user });
      await writeSecret(file, this.#kubeconfigFor(certificate));
    };
    await Promise.all([
      writeSecret(files.authorityCertificate, authority.certificate),
      writeSecret(files.authorityKey, authority.key),
      writeSecret(files.accountsPublicKey, accounts.publicKey),
      writeSecret(files.accountsPrivateKey, accounts.privateKey),
      writeSecret(files.auditPolicy, stringify(auditPolicy(this.#options.audit ?? 'Metadata'))),
      writeSecret(files.adminKubeconfig, this.#kubeconfigFor(admin)),
      systemUser(files.controllerManagerKubeconfig, 'system:kube-controller-manager'),
      systemUser(files.schedulerKubeconfig, 'system:kube-scheduler'),
      this.#writeServingCertificate(),
    ]);
  }

  async #writeServingCertificate(): Promise<void> {
    const names = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local'];
    const serving = await this.#identity.authority.issueServer({
      commonName: 'kube-apiserver',
      hosts: ['127.0.0.1', kubernetesServiceAddress, ...names],
    });
    await writeSecret(this.#files.servingKey, serving.key);
    await writeSecret(this.#files.servingCertificate, serving.certificate);
  }

  #kubeconfigFor(certificate: IssuedCertificate): string {
    return kubeconfigYaml({
      server: this.server,
      certificateAuthority: this.#identity.authority.certificate,
      user: { certificate },
    });
  }
}

/** In one step: a process that watches the file never reads half of it. */
async function writeSecret(file: string, contents: string): Promise<void> {
  await writeFile(`${file}.new`, contents, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
