import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeletServerOptions } from '@quartermaster/simulator';
import { createCertificateAuthority } from '../kube/certificates.ts';

/** Certificates with which an API server and the simulated kubelets trust each other, and nobody else. */
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
  return {
    server: { certificate: serving.certificate, key: serving.key, clientAuthority: authority.certificate },
    flags: [
      `--kubelet-certificate-authority=${authorityFile}`,
      `--kubelet-client-certificate=${certificateFile}`,
      `--kubelet-client-key=${keyFile}`,
    ],
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}
