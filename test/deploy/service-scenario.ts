import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Sessions } from '@quartermaster/api/fulfillment-extras';
import { failureOf, KubeClient, kinds } from '@quartermaster/kube';
import { openRpcChannel } from '@quartermaster/rpc';
import { KeyRing } from '@quartermaster/store';
import { startTestPostgres } from '@quartermaster/store/testing';
import { expect, it, onTestFinished } from 'vitest';
import { deployedRoles } from './deployed-roles.ts';
import { kubeconfigOf, type RoleScenario, tokenOf, writeServingCertificate } from './role-deployment.ts';

/** A service on a database, with service accounts among its callers. */
export function serviceScenario(prefix: 'fulfillment' | 'market'): RoleScenario {
  const account = `quartermaster-${prefix}`;
  return {
    ...deployedRoles[prefix],
    account,
    minRights: 1,

    surround: async (cluster, directory) => {
      const postgres = await startTestPostgres();
      const settings = { [`${prefix}-service-accounts`]: true, [`${prefix}-admins`]: [`serviceaccount:${cluster.namespace}/keeper`] };
      await writeFile(join(directory, 'quartermaster.yaml'), JSON.stringify(settings));
      await writeFile(join(directory, 'key-ring'), KeyRing.generate());
      await writeServingCertificate(cluster, directory);
      return {
        mounts: { '/etc/quartermaster/tls': directory, '/etc/quartermaster/keys': directory, '/etc/quartermaster/settings': directory },
        env: { [`QUARTERMASTER_${prefix.toUpperCase()}_DATABASE_URL`]: await postgres.createDatabase() },
        kubeconfig: await kubeconfigOf(cluster, account),
        end: () => postgres.stop(),
      };
    },

    uses: (running) => {
      it('knows service accounts that call by what the API server says of their tokens', async () => {
        const { controlPlane, admin, namespace, process } = running();
        await ensureAccount(admin, namespace);
        const session = async (token: string) => {
          const tls = { ca: controlPlane.certificateAuthority.certificate };
          const channel = openRpcChannel({ address: `127.0.0.1:${process.ports.get('grpc')}`, tls, token: () => token, tries: 1 });
          onTestFinished(() => channel.close());
          return await channel.client(Sessions).get({});
        };
        const name = `system:serviceaccount:${namespace}:keeper`;
        expect(await session(await tokenOf(running(), 'keeper'))).toMatchObject({ name, role: 'admin' });
        await expect(session('made-up')).rejects.toMatchObject({ code: 'unauthenticated' });
      });
    },

    limits: (cluster) => {
      it('may read none of the Secrets beside it', async () => {
        const client = await KubeClient.connect({ kubeconfig: await kubeconfigOf(cluster(), account) });
        onTestFinished(() => client.close());
        const { namespace } = cluster();
        expect(await client.list(kinds.secrets, { namespace }).catch(failureOf)).toMatchObject({ kind: 'forbidden' });
      });
    },
  };
}

/** Both services have it among their callers. */
async function ensureAccount(admin: KubeClient, namespace: string): Promise<void> {
  const account = { metadata: { namespace, name: 'keeper' } };
  const failure = await admin.create(kinds.serviceAccounts, account).then(() => undefined, failureOf);
  if (failure !== undefined) expect(failure).toMatchObject({ kind: 'already-exists' });
}
