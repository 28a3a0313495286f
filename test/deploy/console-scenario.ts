import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureConsoleBuilt } from '@quartermaster/console';
import { startTestFulfillment } from '@quartermaster/fulfillment/testing';
import { silentLog } from '@quartermaster/kernel';
import { failureOf, KubeClient, kinds } from '@quartermaster/kube';
import { KeyRing } from '@quartermaster/store';
import { expect, it, onTestFinished } from 'vitest';
import { ConsoleBrowser } from '../console/console-browser.ts';
import { deployedRoles } from './deployed-roles.ts';
import { kubeconfigOf, type RoleScenario, writeServingCertificate } from './role-deployment.ts';

const account = 'quartermaster-console';
/** Of the administrator who looks. */
let token = '';

export const consoleScenario: RoleScenario = {
  ...deployedRoles.console,
  account,
  minRights: 4,

  surround: async (cluster, directory) => {
    await ensureConsoleBuilt({ log: silentLog });
    await writeServingCertificate(cluster, directory);
    const tls = { certFile: join(directory, 'tls.crt'), keyFile: join(directory, 'tls.key') };
    const authority = cluster.controlPlane.certificateAuthority.certificate;
    const service = await startTestFulfillment({ tls: { ...tls, authority } });
    token = await service.token({ name: 'root', role: 'admin' });
    const settings = {
      'console-public-url': 'https://console.example.com',
      'console-sign-in': ['token'],
      'console-fulfillment-url': service.restUrl,
      'console-kubernetes': true,
    };
    await writeFile(join(directory, 'quartermaster.yaml'), JSON.stringify(settings));
    await writeFile(join(directory, 'ca.crt'), authority);
    await writeFile(join(directory, 'key-ring'), KeyRing.generate(), { mode: 0o440 });
    return {
      mounts: { '/etc/quartermaster/tls': directory, '/etc/quartermaster/keys': directory, '/etc/quartermaster/settings': directory },
      env: {},
      kubeconfig: await kubeconfigOf(cluster, account),
      end: () => service.stop(),
    };
  },

  uses: (running) => {
    it('signs in who has a token, and shows them pods, logs and Events with its own account', async () => {
      const { controlPlane, admin, namespace, process } = running();
      const spec = { containers: [{ name: 'web', image: 'web' }] };
      await admin.create(kinds.serviceAccounts, { metadata: { namespace, name: 'default' } }).catch(() => undefined);
      await admin.create(kinds.pods, { metadata: { namespace, name: 'shown' }, spec });
      const browser = new ConsoleBrowser(controlPlane.certificateAuthority.certificate);
      onTestFinished(() => browser.close());
      const url = `https://127.0.0.1:${process.ports.get('https')}`;
      expect((await browser.send('GET', `${url}/api/console/v1/pods`)).status).toBe(401);
      expect((await browser.send('POST', `${url}/api/session`, { body: { token } })).status).toBe(200);
      const asked = async (path: string): Promise<unknown> => await (await browser.send('GET', `${url}/api/console/v1/${path}`)).json();
      expect(await asked(`pods?namespace=${namespace}&phase=Pending`)).toMatchObject({
        pods: expect.arrayContaining([expect.objectContaining({ namespace, name: 'shown', phase: 'Pending' })]),
      });
      expect(await asked('pods?filter=sho%20stock')).toMatchObject({ pods: [{ name: 'shown' }], looked: { isComplete: true } });
      expect(await asked('pod-names?query=sho%20stock')).toMatchObject({ pods: [{ name: 'shown' }], looked: { isComplete: true } });
      expect(await asked(`pods/${namespace}/shown`)).toMatchObject({ name: 'shown', containers: [{ name: 'web' }] });
      expect(await asked(`events?namespace=${namespace}&kind=Pod&name=shown`)).toEqual({ events: [], isComplete: true });
      // No kubelet runs it, so there is none yet.
      const log = await browser.send('GET', `${url}/api/console/v1/pods/${namespace}/shown/log`);
      expect([log.status, await log.text()]).toEqual([200, '']);
    });
  },

  limits: (cluster) => {
    it('may change no pod and read no Secret', async () => {
      const client = await KubeClient.connect({ kubeconfig: await kubeconfigOf(cluster(), account) });
      onTestFinished(() => client.close());
      const { namespace } = cluster();
      expect(await client.list(kinds.secrets, { namespace }).catch(failureOf)).toMatchObject({ kind: 'forbidden' });
      expect(await client.delete(kinds.pods, { namespace, name: 'shown' }).catch(failureOf)).toMatchObject({ kind: 'forbidden' });
    });
  },
};
