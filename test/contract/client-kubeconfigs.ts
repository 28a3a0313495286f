import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CredentialOptions, KubeClient, type KubeObject, kinds, resourceType } from '@quartermaster/kube';
import { onTestFinished } from 'vitest';
import { parse, stringify } from 'yaml';
import type { ContractServer } from './contract-server.ts';

interface Review extends KubeObject {
  readonly status?: { readonly userInfo?: { readonly username?: string } };
}

const reviews = resourceType<Review>({
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  namespaced: false,
});

/** What an administrator's kubeconfig with embedded certificates holds, decoded. */
export interface AdminIdentity {
  readonly server: string;
  readonly certificateAuthority: string;
  readonly certificate: string;
  readonly key: string;
}

export async function adminIdentity(server: ContractServer): Promise<AdminIdentity> {
  const config = parse(await readFile(server.kubeconfig, 'utf8')) as {
    readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[];
    readonly users: readonly { readonly user: Readonly<Record<string, string>> }[];
  };
  const cluster = config.clusters[0]?.cluster ?? {};
  const user = config.users[0]?.user ?? {};
  const decode = (text = ''): string => Buffer.from(text, 'base64').toString('utf8');
  return {
    server: cluster['server'] ?? '',
    certificateAuthority: decode(cluster['certificate-authority-data']),
    certificate: decode(user['client-certificate-data']),
    key: decode(user['client-key-data']),
  };
}

/** A directory for a test's own files, removed when the test ends. */
export class Workbench {
  readonly directory: string;
  readonly #identity: AdminIdentity;

  private constructor(directory: string, identity: AdminIdentity) {
    this.directory = directory;
    this.#identity = identity;
  }

  static async open(server: ContractServer): Promise<Workbench> {
    const directory = await mkdtemp(join(tmpdir(), 'contract-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    return new Workbench(directory, await adminIdentity(server));
  }

  async write(name: string, contents: string): Promise<string> {
    const file = join(this.directory, name);
    await writeFile(file, contents, { mode: 0o600 });
    return file;
  }

  /** An executable script for Node that prints what `body` prints. */
  async script(name: string, body: string): Promise<string> {
    const file = await this.write(name, `#!${process.execPath}\n${body}`);
    await chmod(file, 0o700);
    return file;
  }

  /** A kubeconfig with one context, named `main`; `cluster` is merged over the server and its authority. */
  async kubeconfig(
    user: object,
    cluster: object = {},
    options: { readonly name?: string; readonly context?: object } = {},
  ): Promise<string> {
    const { name = 'main', context = {} } = options;
    const trusted = {
      server: this.#identity.server,
      'certificate-authority-data': Buffer.from(this.#identity.certificateAuthority).toString('base64'),
    };
    const contents = stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name, cluster: { ...trusted, ...cluster } }],
      users: [{ name, user }],
      contexts: [{ name, context: { cluster: name, user: name, ...context } }],
      'current-context': name,
    });
    return await this.write(`${name}.kubeconfig`, contents);
  }
}

/** A token of a new service account, `robot` unless named, whose user name is answered beside it. */
export async function robotToken(server: ContractServer, namespace: string, name = 'robot'): Promise<{ token: string; username: string }> {
  await server.client.create(kinds.serviceAccounts, { metadata: { namespace, name } });
  const body: KubeObject & { spec: object; status?: { token: string } } = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 600 },
  };
  const { status } = await server.client.createSubresource(kinds.serviceAccounts, { namespace, name }, 'token', body);
  return { token: status?.token ?? '', username: `system:serviceaccount:${namespace}:${name}` };
}

/** A client that is closed when the test ends. */
export async function connect(options: CredentialOptions): Promise<KubeClient> {
  const client = await KubeClient.connect(options);
  onTestFinished(() => client.close());
  return client;
}

/** As whom the server sees this client. */
export async function whoami(client: KubeClient): Promise<string | undefined> {
  return (await client.create(reviews, {})).status?.userInfo?.username;
}
