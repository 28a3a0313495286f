import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isFailure, KubeClient, kinds, resourceType } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { createCertificateAuthority } from '../kube/certificates.ts';
import { type ControlPlane, startControlPlane } from '../kube/control-plane.ts';
import { OidcIssuer } from '../support/oidc-issuer.ts';

interface SelfSubjectReview {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly status?: { readonly userInfo?: { readonly username?: string } };
}

const reviews = resourceType<SelfSubjectReview>({
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  namespaced: false,
});

const soon = { timeout: 60_000, interval: 200 };

/** Identities whose other side has to be real as well: an issuer that the API server trusts, and the filesystem of a pod. */
describe('credentials', () => {
  let issuer: OidcIssuer;
  let issuerAuthority: string;
  let directory: string;
  let controlPlane: ControlPlane;
  let admin: KubeClient;

  beforeAll(async () => {
    const authority = await createCertificateAuthority('issuer authority');
    issuerAuthority = authority.certificate;
    issuer = await OidcIssuer.start(await authority.issueServer({ commonName: 'issuer', hosts: ['127.0.0.1'] }));
    directory = await mkdtemp(path.join(tmpdir(), 'quartermaster-oidc-'));
    const caFile = path.join(directory, 'issuer.crt');
    await writeFile(caFile, authority.certificate);
    controlPlane = await startControlPlane({
      scheduler: false,
      apiserverArgs: [
        `--oidc-issuer-url=${issuer.url}`,
        `--oidc-client-id=${issuer.clientId}`,
        `--oidc-ca-file=${caFile}`,
        '--oidc-username-prefix=oidc:',
      ],
    });
    admin = await KubeClient.connect({ kubeconfig: controlPlane.kubeconfig });
  });

  afterAll(async () => {
    await admin?.close();
    await controlPlane?.stop();
    await issuer?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const whoAmI = async (client: KubeClient): Promise<string | undefined> => (await client.create(reviews, {})).status?.userInfo?.username;

  async function oidcKubeconfig(idToken: string): Promise<string> {
    const file = path.join(controlPlane.directory, 'oidc.kubeconfig');
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const config = {
      'client-id': issuer.clientId,
      'idp-issuer-url': issuer.url,
      'idp-certificate-authority-data': base64(issuerAuthority),
      'id-token': idToken,
      'refresh-token': issuer.refreshToken,
    };
    const cluster = { server: controlPlane.server, 'certificate-authority-data': base64(controlPlane.certificateAuthority.certificate) };
    await writeFile(
      file,
      stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'test', cluster }],
        users: [{ name: 'alice', user: { 'auth-provider': { name: 'oidc', config } } }],
        contexts: [{ name: 'test', context: { cluster: 'test', user: 'alice' } }],
        'current-context': 'test',
      }),
    );
    return file;
  }

  it('of an OIDC user are the id token of the kubeconfig while it lasts', async () => {
    const before = issuer.refreshes;
    const kubeconfig = await oidcKubeconfig(issuer.idToken());
    const client = await KubeClient.connect({ kubeconfig });
    // The server reads the issuer's keys only some seconds after its own start.
    await vi.waitFor(async () => expect(await whoAmI(client)).toBe('oidc:alice'), soon);
    expect(issuer.refreshes).toBe(before);
    await client.close();
  });

  it('of an OIDC user are refreshed when the id token has expired, also twice with a rotated refresh token', async () => {
    const before = issuer.refreshes;
    const kubeconfig = await oidcKubeconfig(issuer.idToken(-30));
    const client = await KubeClient.connect({ kubeconfig, reloadIntervalMs: 0 });
    await vi.waitFor(async () => expect(await whoAmI(client)).toBe('oidc:alice'), soon);
    expect(issuer.refreshes).toBeGreaterThan(before);
    const first = issuer.refreshes;
    await client.transport.credentials.refresh();
    expect(await whoAmI(client)).toBe('oidc:alice');
    expect(issuer.refreshes).toBeGreaterThan(first);
    await client.close();
  });

  it('of a pod are its service account, whose token is read again when it was renewed', async () => {
    const account = await admin.create(kinds.serviceAccounts, { metadata: { namespace: 'default', name: 'pod' } });
    const podRoot = path.join(controlPlane.directory, 'pod');
    const mounted = path.join(podRoot, 'var/run/secrets/kubernetes.io/serviceaccount');
    await mkdir(mounted, { recursive: true });
    await writeFile(path.join(mounted, 'ca.crt'), controlPlane.certificateAuthority.certificate);
    await writeFile(path.join(mounted, 'namespace'), 'default');
    await writeFile(path.join(mounted, 'token'), 'not a token');
    const { hostname, port } = new URL(controlPlane.server);
    vi.stubEnv('KUBERNETES_SERVICE_HOST', hostname);
    vi.stubEnv('KUBERNETES_SERVICE_PORT', port);
    const client = await KubeClient.connect({ podRoot });
    await expect(whoAmI(client)).rejects.toSatisfy((error: unknown) => isFailure(error, 'unauthorized'));
    const uid = account.metadata?.uid ?? '';
    const token = controlPlane.serviceAccountToken({ namespace: 'default', name: 'pod', uid, expiresInSeconds: 3600 });
    await writeFile(path.join(mounted, 'token'), token);
    expect(await whoAmI(client)).toBe('system:serviceaccount:default:pod');
    expect(client.transport.credentials.namespace).toBe('default');
    vi.unstubAllEnvs();
    await client.close();
  });
});
