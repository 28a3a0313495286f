import { stringify } from 'yaml';
import type { IssuedCertificate } from './certificates.ts';

const name = 'quartermaster-simulator';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The YAML of a kubeconfig whose cluster, user and context say by their name that this is a simulator. */
export function kubeconfigYaml(server: string, certificateAuthority: string, user: IssuedCertificate): string {
  const proof = { 'client-certificate-data': base64(user.certificate), 'client-key-data': base64(user.key) };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': base64(certificateAuthority) } }],
    users: [{ name, user: proof }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  });
}
