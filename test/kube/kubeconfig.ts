import { stringify } from 'yaml';
import type { IssuedCertificate } from './certificates.ts';

/** How a kubeconfig's user proves who it is. */
export type KubeconfigUser =
  | { readonly token: string }
  | { readonly tokenFile: string }
  /** Embedded in the file. */
  | { readonly certificate: IssuedCertificate }
  | { readonly certificateFile: string; readonly keyFile: string }
  /** A command that prints an ExecCredential of client.authentication.k8s.io/v1. */
  | { readonly exec: { readonly command: string; readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> } };

export interface KubeconfigContents {
  readonly server: string;
  /** PEM. */
  readonly certificateAuthority: string;
  readonly user: KubeconfigUser;
  readonly namespace?: string;
}

/** The YAML of a kubeconfig with one cluster, one user and one context, all named `quartermaster`. */
export function kubeconfigYaml({ server, certificateAuthority, user, namespace }: KubeconfigContents): string {
  const name = 'quartermaster';
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': base64(certificateAuthority) } }],
    users: [{ name, user: userFields(user) }],
    contexts: [{ name, context: { cluster: name, user: name, ...(namespace === undefined ? {} : { namespace }) } }],
    'current-context': name,
  });
}

function userFields(user: KubeconfigUser): object {
  if ('token' in user) return { token: user.token };
  if ('tokenFile' in user) return { tokenFile: user.tokenFile };
  if ('certificateFile' in user) return { 'client-certificate': user.certificateFile, 'client-key': user.keyFile };
  if ('certificate' in user) {
    return { 'client-certificate-data': base64(user.certificate.certificate), 'client-key-data': base64(user.certificate.key) };
  }
  return {
    exec: {
      apiVersion: 'client.authentication.k8s.io/v1',
      interactiveMode: 'Never',
      command: user.exec.command,
      args: user.exec.args ?? [],
      env: Object.entries(user.exec.env ?? {}).map(([name, value]) => ({ name, value })),
    },
  };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
