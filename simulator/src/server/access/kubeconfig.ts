import { stringify } from 'yaml';
import type { IssuedCertificate } from './certificates.ts';

export interface KubeconfigContents {
  readonly server: string;
  /** PEM. */
  readonly certificateAuthority: string;
  readonly user: { readonly token: string } | { readonly certificate: IssuedCertificate };
}

const name = 'quartermaster-simulator';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The YAML of a kubeconfig whose cluster, user and context say by their name that this is a simulator. */
export function kubeconfigYaml({ server, certificateAuthority, user }: KubeconfigContents): string {
  const proof =
    'token' in user
      ? { token: user.token }
      : { 'client-certificate-data': base64(user.certificate.certificate), 'client-key-data': base64(user.certificate.key) };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': base64(certificateAuthority) } }],
    users: [{ name, user: proof }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  });
}
