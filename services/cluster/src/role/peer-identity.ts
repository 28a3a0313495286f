import { readFile } from 'node:fs/promises';
import { messageOf } from '@quartermaster/kernel';
import { unavailable } from '../serve/leader-line.ts';
import type { ClusterSettings } from './cluster-role.ts';

/*
 * Replicas are one service: what came to one of them for the leader is sent on in the name of the account that all of them have. A caller's own credential is sent on where
 * the leader can judge it; that of a tenant it cannot, since only the gateway knows those.
 */

/** Of the account of this service; undefined where the settings name none. Read anew for each call: others write it anew long before it ends. */
export async function peerToken({
  'cluster-peer-token-file': path,
}: Pick<ClusterSettings, 'cluster-peer-token-file'>): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (thrown) {
    throw unavailable(
      `cluster-peer-token-file ${path} cannot be read, and without it the leader takes nothing from here: ${messageOf(thrown)}`,
    );
  }
}

/** The account of this service as settings of access name it; undefined where there is no token of it. Throws `unavailable` where there should be. */
export async function ownAccount(config: Pick<ClusterSettings, 'cluster-peer-token-file'>): Promise<string | undefined> {
  const token = await peerToken(config);
  if (token === undefined) return undefined;
  const account = accountIn(token);
  if (account !== undefined) return account;
  throw unavailable(`cluster-peer-token-file ${config['cluster-peer-token-file']} must hold a token of a service account`);
}

/** The same settings, which let that account in. */
export const letIn = (config: ClusterSettings, account: string | undefined): ClusterSettings =>
  account === undefined ? config : { ...config, 'cluster-admins': [...config['cluster-admins'], account] };

/** What a token of Kubernetes says of itself. It is ours: nobody needs to prove it. */
function accountIn(token: string): string | undefined {
  try {
    const { sub } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { readonly sub?: unknown };
    const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(typeof sub === 'string' ? sub : '') ?? [];
    return namespace === undefined ? undefined : `serviceaccount:${namespace}/${name}`;
  } catch {
    return undefined;
  }
}
