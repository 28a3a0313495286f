import type { KubeConfig } from '@kubernetes/client-node';
import { present } from '@quartermaster/kernel';
import { Agent } from 'undici';
import type { KubeCredentials, Session } from './credentials.ts';

export interface StaticCredentialOptions {
  /** The API server's URL. */
  readonly server: string;
  /** PEM of the authority that signed the server's certificate. The system's authorities when absent. */
  readonly ca?: string | undefined;
  readonly token?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly namespace?: string | undefined;
}

/** Credentials that never change, for a server in the same process or a test; they need no kubeconfig and load nothing. */
export function staticCredentials(options: StaticCredentialOptions): KubeCredentials {
  const url = new URL(options.server);
  const { ca, cert, key } = options;
  const session: Session = {
    dispatcher: new Agent({ allowH2: false, connect: { ...present({ ca, cert, key }), keepAlive: true, keepAliveInitialDelay: 30_000 } }),
    origin: url.origin,
    basePath: url.pathname.replace(/\/+$/, ''),
    headers: options.token === undefined ? {} : { authorization: `Bearer ${options.token}` },
  };
  return {
    namespace: options.namespace,
    session: () => Promise.resolve(session),
    refresh: () => Promise.resolve(),
    kubeConfig: () => kubeConfigOf(options),
    close: () => session.dispatcher.destroy(),
  };
}

async function kubeConfigOf({ server, ca, token, cert, key }: StaticCredentialOptions): Promise<KubeConfig> {
  const { KubeConfig: Config } = await import('@kubernetes/client-node');
  const config = new Config();
  const encode = (pem: string): string => Buffer.from(pem).toString('base64');
  config.loadFromClusterAndUser(
    present({ name: 'static', server, skipTLSVerify: server.startsWith('http:'), caData: ca && encode(ca) }),
    present({ name: 'static', token, certData: cert && encode(cert), keyData: key && encode(key) }),
  );
  return config;
}
