import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRandom } from '@quartermaster/kernel';
import type { KubeletServerOptions } from '@quartermaster/simulator';
import { stringify } from 'yaml';
import { createCertificateAuthority } from '../kube/certificates.ts';
import { freePorts } from '../kube/free-ports.ts';

/** How an API server reaches the simulated kubelets, and through them the pods: certificates with which they trust each other, a port. */
export interface KubeletIdentity {
  readonly server: KubeletServerOptions;
  /** For kube-apiserver. */
  readonly flags: readonly string[];
  remove(): Promise<void>;
}

export async function createKubeletIdentity(): Promise<KubeletIdentity> {
  const directory = await mkdtemp(join(tmpdir(), 'quartermaster-kubelet-'));
  const authority = await createCertificateAuthority('quartermaster-kubelet-authority');
  const [serving, client] = await Promise.all([
    authority.issueServer({ commonName: 'simulated-kubelet', hosts: ['127.0.0.1'] }),
    authority.issueClient({ commonName: 'kube-apiserver-kubelet-client' }),
  ]);
  const file = async (name: string, text: string): Promise<string> => {
    const path = join(directory, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  };
  const [authorityFile, certificateFile, keyFile] = await Promise.all([
    file('authority.crt', authority.certificate),
    file('client.crt', client.certificate),
    file('client.key', client.key),
  ]);
  // No network leads to the pods; the API server is told to go through them to everything in the cluster.
  const [port = 0] = await freePorts(1, systemRandom);
  const tlsConfig = { caBundle: authorityFile, clientCert: certificateFile, clientKey: keyFile };
  const connection = { proxyProtocol: 'HTTPConnect', transport: { tcp: { url: `https://127.0.0.1:${port}`, tlsConfig } } };
  const egress = await file(
    'egress.yaml',
    stringify({
      apiVersion: 'apiserver.k8s.io/v1beta1',
      kind: 'EgressSelectorConfiguration',
      egressSelections: [{ name: 'cluster', connection }],
    }),
  );
  return {
    server: { certificate: serving.certificate, key: serving.key, clientAuthority: authority.certificate, port },
    flags: [
      `--kubelet-certificate-authority=${authorityFile}`,
      `--kubelet-client-certificate=${certificateFile}`,
      `--kubelet-client-key=${keyFile}`,
      `--egress-selector-config-file=${egress}`,
    ],
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}
