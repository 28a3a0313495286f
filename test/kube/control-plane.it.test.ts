import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCertificateAuthority } from './certificates.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { type KubectlResult, runKubectl } from './kubectl.ts';
import { servedFingerprint } from './loopback.ts';

/** Generous waits: the machine may be running another control plane. */
const patience = { timeout: 40_000, interval: 200 };

describe('a control plane', () => {
  let controlPlane: ControlPlane;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ audit: 'Metadata' });
  });

  afterAll(async () => {
    await controlPlane.stop();
  });

  /** The output of a kubectl command that must succeed. */
  const kubectl = async (args: readonly string[], input?: string): Promise<string> => {
    const result = await controlPlane.kubectl(args, input);
    expect(result, `kubectl ${args.join(' ')}`).toMatchObject({ exitCode: 0 });
    return result.stdout;
  };

  const kubectlAs = (kubeconfig: string, args: readonly string[]): Promise<KubectlResult> =>
    runKubectl({ kubeconfig, cacheDirectory: join(controlPlane.directory, 'kubectl-cache') }, args);

  it('is ready when it has started', async () => {
    expect(await kubectl(['get', '--raw', '/readyz'])).toBe('ok');
    expect(await kubectl(['get', 'serviceaccount', 'default', '--output=name'])).toBe('serviceaccount/default\n');
  });

  it('reports the version that it was built from', async () => {
    const version: unknown = JSON.parse(await kubectl(['version', '--output=json']));
    expect(version).toMatchObject({ serverVersion: { major: '1', gitVersion: expect.stringMatching(/^v1\.\d+\.\d+$/) } });
  });

  it('refuses a user without rights and admits it once a role is bound', async () => {
    const certificate = await controlPlane.certificateAuthority.issueClient({ commonName: 'ada', organizations: ['engineers'] });
    const kubeconfig = await controlPlane.writeKubeconfig({ user: { certificate } });

    const refused = await kubectlAs(kubeconfig, ['get', 'configmaps']);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('User "ada" cannot list resource "configmaps"');

    await kubectl(['create', 'rolebinding', 'engineers-view', '--clusterrole=view', '--group=engineers']);
    await expect.poll(async () => (await kubectlAs(kubeconfig, ['get', 'configmaps'])).exitCode, patience).toBe(0);
  });

  it('does not know a user whose certificate comes from elsewhere', async () => {
    const stranger = await createCertificateAuthority('stranger');
    const certificate = await stranger.issueClient({ commonName: 'admin', organizations: ['system:masters'] });
    const result = await kubectlAs(await controlPlane.writeKubeconfig({ user: { certificate } }), ['get', 'namespaces']);
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toMatch(/Unauthorized|must be logged in|provide credentials/);
  });

  it('makes the ReplicaSet and the pods of a Deployment, which its scheduler looks at', async () => {
    await kubectl(['create', 'deployment', 'web', '--image=registry.invalid/web', '--replicas=2']);
    await expect
      .poll(
        async () => (await kubectl(['get', 'replicasets,pods', '--selector=app=web', '--output=name'])).trim().split('\n').length,
        patience,
      )
      .toBe(3);
    const reasons = [
      'get',
      'pods',
      '--selector=app=web',
      '--output=jsonpath={.items[*].status.conditions[?(@.type=="PodScheduled")].reason}',
    ];
    await expect.poll(async () => await kubectl(reasons), patience).toBe('Unschedulable Unschedulable');
  });

  it('accepts a signed token until it expires', async () => {
    await kubectl(['create', 'serviceaccount', 'robot']);
    const uid = await kubectl(['get', 'serviceaccount', 'robot', '--output=jsonpath={.metadata.uid}']);
    const whoIs = async (token: string): Promise<KubectlResult> =>
      await kubectlAs(await controlPlane.writeKubeconfig({ user: { token } }), [
        'auth',
        'whoami',
        '--output=jsonpath={.status.userInfo.username}',
      ]);

    const account = { namespace: 'default', name: 'robot', uid };
    let brief = '';
    const askBriefly = async (): Promise<string> => {
      brief = controlPlane.serviceAccountToken({ ...account, expiresInSeconds: 5 });
      return (await whoIs(brief)).stdout;
    };
    // A busy machine may take longer to ask than the token lives.
    await expect.poll(askBriefly, patience).toBe('system:serviceaccount:default:robot');
    expect((await whoIs(controlPlane.serviceAccountToken({ ...account, expiresInSeconds: -1 }))).exitCode).toBe(1);
    expect((await whoIs(controlPlane.serviceAccountToken({ ...account, uid: 'another', expiresInSeconds: 600 }))).exitCode).toBe(1);
    await expect.poll(async () => (await whoIs(brief)).stderr, patience).toMatch(/Unauthorized|must be logged in|provide credentials/);
    expect((await whoIs(controlPlane.serviceAccountToken({ ...account, expiresInSeconds: 600 }))).exitCode).toBe(0);
  });

  it('serves a rotated certificate without a restart', async () => {
    const port = Number(new URL(controlPlane.server).port);
    const served = (): Promise<string> => servedFingerprint(port, controlPlane.certificateAuthority.certificate);
    const before = await served();
    const { pid } = controlPlane.process('kube-apiserver');
    await controlPlane.rotateServingCertificate();
    expect(await served()).not.toBe(before);
    expect(controlPlane.process('kube-apiserver').pid).toBe(pid);
    await kubectl(['get', 'namespaces']);
  });

  it('has written every answered request to the audit log', async () => {
    await kubectl(['create', 'configmap', 'audited']);
    // What follows the last line break is being written: controllers ask all the time.
    const lines = (await readFile(controlPlane.auditLog ?? '', 'utf8')).split('\n').slice(0, -1);
    const events: unknown[] = lines.map((line): unknown => JSON.parse(line));
    expect(events).toContainEqual(
      expect.objectContaining({
        stage: 'ResponseComplete',
        verb: 'create',
        user: expect.objectContaining({ username: 'admin' }),
        objectRef: expect.objectContaining({ resource: 'configmaps', name: 'audited' }),
        responseStatus: expect.objectContaining({ code: 201 }),
      }),
    );
  });

  it('keeps its data when the API server is killed and started again', async () => {
    await kubectl(['create', 'configmap', 'kept', '--from-literal=answer=42']);
    const apiServer = controlPlane.process('kube-apiserver');
    const before = apiServer.pid;

    await apiServer.kill('SIGKILL');
    expect(apiServer.pid).toBeUndefined();
    expect((await controlPlane.kubectl(['get', '--raw', '/readyz'])).exitCode).toBe(1);
    await expect(apiServer.kill('SIGKILL')).rejects.toThrow('kube-apiserver: it is not running');

    await apiServer.start();
    expect(apiServer.pid).not.toBe(before);
    expect(await kubectl(['get', 'configmap', 'kept', '--output=jsonpath={.data.answer}'])).toBe('42');
    await expect(apiServer.start()).rejects.toThrow('kube-apiserver is running already');
  });
});

describe('a control plane without controllers', () => {
  it('no longer knows a resourceVersion that etcd has compacted', async () => {
    const controlPlane = await startControlPlane({ controllers: false, scheduler: false, apiserverArgs: ['--watch-cache=false'] });
    try {
      const apply = (value: number): Promise<KubectlResult> =>
        controlPlane.kubectl(['apply', '--filename=-', '--output=jsonpath={.metadata.resourceVersion}'], configMap(value));
      const { stdout: old } = await apply(0);
      const atOld = ['get', '--raw', `/api/v1/namespaces/default/configmaps?resourceVersion=${old}&resourceVersionMatch=Exact`];
      await apply(1);
      expect(await controlPlane.kubectl(atOld)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('"value":"0"') });

      const revision = await controlPlane.compact();
      expect(revision).toBeGreaterThan(BigInt(old));
      expect(await controlPlane.kubectl(atOld)).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/too old|Expired/) });
      expect((await controlPlane.kubectl(['get', 'configmap', 'changing', '--output=jsonpath={.data.value}'])).stdout).toBe('1');
    } finally {
      await controlPlane.stop();
    }
  });

  it('shows the log of a process that does not start', async () => {
    const starting = startControlPlane({ controllers: false, scheduler: false, apiserverArgs: ['--no-such-flag'] });
    await expect(starting).rejects.toThrow(/kube-apiserver ended with exit code 1 while it started[^]*unknown flag: --no-such-flag/);
  });
});

const configMap = (value: number): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'changing', namespace: 'default' },
    data: { value: `${value}` },
  });
