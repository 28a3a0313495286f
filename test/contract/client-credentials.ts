import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accessReviewer, kinds, pathReviewer } from '@quartermaster/kube';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { failureFrom, failureKind } from './client-fixtures.ts';
import { adminIdentity, connect, robotToken, Workbench, whoami } from './client-kubeconfigs.ts';
import type { ContractServer } from './contract-server.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** How a kubeconfig says who we are, and what happens when it says nothing useful. */
export function describeCredentials(server: () => ContractServer): void {
  const open = async () => await Workbench.open(server());
  const admin = async () => await whoami(server().client);

  describe('a kubeconfig proves an identity', () => {
    it('with an embedded client certificate', async () => {
      const { certificate, key } = await adminIdentity(server());
      const user = { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) };
      const kubeconfig = await (await open()).kubeconfig(user);
      expect(await whoami(await connect({ kubeconfig }))).toBe(await admin());
    });

    it('with certificate files', async () => {
      const { certificate, key, certificateAuthority } = await adminIdentity(server());
      const bench = await open();
      const user = { 'client-certificate': await bench.write('me.crt', certificate), 'client-key': await bench.write('me.key', key) };
      const authority = await bench.write('ca.crt', certificateAuthority);
      const cluster = { 'certificate-authority-data': undefined, 'certificate-authority': authority };
      expect(await whoami(await connect({ kubeconfig: await bench.kubeconfig(user, cluster) }))).toBe(await admin());
    });

    it('with certificate files beside it, named relative to it', async () => {
      const { certificate, key, certificateAuthority } = await adminIdentity(server());
      const bench = await open();
      await bench.write('me.crt', certificate);
      await bench.write('me.key', key);
      await bench.write('ca.crt', certificateAuthority);
      const user = { 'client-certificate': 'me.crt', 'client-key': 'me.key' };
      const cluster = { 'certificate-authority-data': undefined, 'certificate-authority': 'ca.crt' };
      expect(await whoami(await connect({ kubeconfig: await bench.kubeconfig(user, cluster) }))).toBe(await admin());
    });

    it('with a token', async () => {
      const { token, username } = await robotToken(server(), await server().namespace());
      const kubeconfig = await (await open()).kubeconfig({ token });
      expect(await whoami(await connect({ kubeconfig }))).toBe(username);
    });

    it.each(['absolute', 'relative'] as const)('with a token file at an %s path', async (how) => {
      const { token, username } = await robotToken(server(), await server().namespace());
      const bench = await open();
      const file = await bench.write('token', `${token}\n`);
      const kubeconfig = await bench.kubeconfig({ tokenFile: how === 'absolute' ? file : 'token' });
      expect(await whoami(await connect({ kubeconfig }))).toBe(username);
    });

    it('with a token file that is read again once its token was refused', async () => {
      const { token, username } = await robotToken(server(), await server().namespace());
      const bench = await open();
      await bench.write('token', 'expired');
      const client = await connect({ kubeconfig: await bench.kubeconfig({ tokenFile: 'token' }) });
      expect(await failureKind(whoami(client))).toBe('unauthorized');
      await bench.write('token', token);
      expect(await whoami(client)).toBe(username);
    });

    it('as another user that it acts for', async () => {
      const { certificate, key } = await adminIdentity(server());
      const user = { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key), as: 'somebody' };
      const kubeconfig = await (await open()).kubeconfig(user);
      expect(await whoami(await connect({ kubeconfig }))).toBe('somebody');
    });

    it('about whose rights the server can be asked', async () => {
      const { username } = await robotToken(server(), await server().namespace());
      const right = { verb: 'delete', group: '', plural: 'nodes' };
      const may = async (name: string, groups: readonly string[]) => [
        await accessReviewer(server().client)({ name, groups }, right, AbortSignal.timeout(10_000)),
        await pathReviewer(server().client)({ name, groups }, '/metrics', AbortSignal.timeout(10_000)),
      ];
      expect(await may('root', ['system:masters'])).toEqual([true, true]);
      expect(await may(username, ['system:serviceaccounts', 'system:authenticated'])).toEqual([false, false]);
    });

    it('which the server may refuse, as unauthorized', async () => {
      const client = await connect({ kubeconfig: await (await open()).kubeconfig({ token: 'made-up' }) });
      expect(await failureKind(client.list(kinds.namespaces))).toBe('unauthorized');
      expect(await failureKind(client.create(kinds.namespaces, { metadata: { name: 'made-up' } }))).toBe('unauthorized');
    });
  });

  describe('an exec plugin', () => {
    /** Prints a credential and a line into `calls` each time. */
    const plugin = async (bench: Workbench, status: object): Promise<{ readonly user: object; calls(): Promise<number> }> => {
      const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status };
      const log = join(bench.directory, 'calls');
      const body = `require('node:fs').appendFileSync(${JSON.stringify(log)}, 'x');console.log(${JSON.stringify(JSON.stringify(credential))});`;
      const command = await bench.script('plugin.cjs', body);
      const user = { exec: { apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Never', command } };
      return { user, calls: async () => (await readFile(log, 'utf8')).length };
    };

    it('gives a token', async () => {
      const { token, username } = await robotToken(server(), await server().namespace());
      const bench = await open();
      const { user } = await plugin(bench, { token });
      expect(await whoami(await connect({ kubeconfig: await bench.kubeconfig(user) }))).toBe(username);
    });

    it('gives a client certificate', async () => {
      const { certificate, key } = await adminIdentity(server());
      const bench = await open();
      const { user } = await plugin(bench, { clientCertificateData: certificate, clientKeyData: key });
      expect(await whoami(await connect({ kubeconfig: await bench.kubeconfig(user) }))).toBe(await admin());
    });

    it('is called once for a credential that does not expire', async () => {
      const { token, username } = await robotToken(server(), await server().namespace());
      const bench = await open();
      const { user, calls } = await plugin(bench, { token });
      const client = await connect({ kubeconfig: await bench.kubeconfig(user), reloadIntervalMs: 0 });
      expect([await whoami(client), await whoami(client)]).toEqual([username, username]);
      expect(await calls()).toBe(1);
    });

    it('is called again once its credential has expired', async () => {
      const { token, username } = await robotToken(server(), await server().namespace());
      const bench = await open();
      const { user, calls } = await plugin(bench, { token, expirationTimestamp: '2001-01-01T00:00:00Z' });
      const client = await connect({ kubeconfig: await bench.kubeconfig(user), reloadIntervalMs: 0 });
      const before = await calls();
      expect([await whoami(client), await whoami(client)]).toEqual([username, username]);
      expect(await calls()).toBe(before + 2);
    });

    it('that fails is told with what it said', async () => {
      const bench = await open();
      const command = await bench.script('plugin.cjs', `console.error('log in first');process.exit(1);`);
      const user = { exec: { apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Never', command } };
      const failed = connect({ kubeconfig: await bench.kubeconfig(user) });
      await expect(failed).rejects.toMatchObject({ name: 'StatusError', code: 'unauthenticated' });
      await expect(failed).rejects.toThrow('log in first');
    });
  });

  describe('the context of a kubeconfig', () => {
    it('gives the namespace', async () => {
      const kubeconfig = await (await open()).kubeconfig({ token: 'any' }, {}, { context: { namespace: 'team-a' } });
      expect((await connect({ kubeconfig })).transport.credentials.namespace).toBe('team-a');
    });

    it('that does not exist is refused, naming those that do', async () => {
      const kubeconfig = await (await open()).kubeconfig({ token: 'any' });
      const refused = connect({ kubeconfig, context: 'other' });
      await expect(refused).rejects.toMatchObject({ name: 'StatusError', code: 'invalid_argument' });
      await expect(refused).rejects.toThrow('context "other" is not in the kubeconfig; it has: main');
    });

    it('can come from any of the files in KUBECONFIG', async () => {
      const [one, two] = [await robotToken(server(), await server().namespace()), await robotToken(server(), await server().namespace())];
      const bench = await open();
      const first = await bench.kubeconfig({ token: one.token }, {}, { name: 'first' });
      const second = await bench.kubeconfig({ token: two.token }, {}, { name: 'second' });
      vi.stubEnv('KUBECONFIG', `${first}:${second}`);
      onTestFinished(() => void vi.unstubAllEnvs());
      expect(await whoami(await connect({ context: 'first' }))).toBe(one.username);
      expect(await whoami(await connect({ context: 'second' }))).toBe(two.username);
    });
  });

  describe('a kubeconfig is refused', () => {
    const refusal = { name: 'StatusError', code: 'invalid_argument' };

    it('when the file does not exist, naming it', async () => {
      const kubeconfig = join((await open()).directory, 'nowhere');
      await expect(connect({ kubeconfig })).rejects.toMatchObject(refusal);
      await expect(connect({ kubeconfig })).rejects.toThrow(kubeconfig);
    });

    it('when it is not YAML', async () => {
      const kubeconfig = await (await open()).write('broken', '{ [');
      await expect(connect({ kubeconfig })).rejects.toMatchObject(refusal);
    });

    it('when there is none at all', async () => {
      vi.stubEnv('KUBECONFIG', '');
      vi.stubEnv('HOME', (await open()).directory);
      onTestFinished(() => void vi.unstubAllEnvs());
      await expect(connect({})).rejects.toMatchObject(refusal);
      await expect(connect({ context: 'main' })).rejects.toThrow('no kubeconfig was found');
    });

    it('when its context names a cluster that it does not have', async () => {
      const kubeconfig = await (await open()).kubeconfig({ token: 'any' }, {}, { context: { cluster: 'other' } });
      await expect(connect({ kubeconfig })).rejects.toMatchObject(refusal);
    });

    it('when a file that it names does not exist', async () => {
      const kubeconfig = await (await open()).kubeconfig({ 'client-certificate': 'no.crt', 'client-key': 'no.key' });
      const refused = connect({ kubeconfig });
      await expect(refused).rejects.toMatchObject({ name: 'StatusError', code: 'unauthenticated' });
      await expect(refused).rejects.toThrow('no.crt');
    });
  });

  describe('the certificate of the server', () => {
    const untrusted = { 'certificate-authority-data': undefined };
    const failureWith = async (cluster: object) => {
      const client = await connect({ kubeconfig: await (await open()).kubeconfig({ token: 'any' }, cluster) });
      return await failureFrom(client.list(kinds.namespaces));
    };

    it('is refused when its authority is not trusted', async () => {
      expect(await failureWith(untrusted)).toEqual({ kind: 'connection', errno: expect.stringMatching(/CERT|SIGNATURE/) });
    });

    it('is refused when it is for another name', async () => {
      const failure = await failureWith({ 'tls-server-name': 'other.example' });
      expect(failure).toEqual({ kind: 'connection', errno: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    });

    it('may be for a name that the kubeconfig gives', async () => {
      expect(await failureWith({ 'tls-server-name': 'kubernetes.default.svc' })).toEqual({ kind: 'unauthorized' });
    });

    it('is not looked at when the kubeconfig says so', async () => {
      expect(await failureWith({ ...untrusted, 'insecure-skip-tls-verify': true })).toEqual({ kind: 'unauthorized' });
    });
  });
}
