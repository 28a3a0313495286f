import type { Cluster } from '@quartermaster/api/private';
import { isOwn, principalOf } from '@quartermaster/auth';
import { StatusError } from '@quartermaster/kernel';
import type { GetRequest, ObjectReader } from '@quartermaster/objects';
import type { CallContext } from '@quartermaster/rpc';
import type { ObjectTable, Queryable } from '@quartermaster/store';

interface HttpBody {
  readonly contentType: string;
  readonly data: Uint8Array<ArrayBuffer>;
}

export interface ClusterSecretHandlers {
  getKubeconfig(request: GetRequest, context: CallContext): Promise<{ readonly kubeconfig: string }>;
  getKubeconfigViaHttp(request: GetRequest, context: CallContext): Promise<HttpBody>;
  getPassword(request: GetRequest, context: CallContext): Promise<{ readonly password: string }>;
  getPasswordViaHttp(request: GetRequest, context: CallContext): Promise<HttpBody>;
}

/** The credentials of a cluster, for whoever sees the cluster through the public API. */
export function clusterSecretHandlers(db: Queryable, store: ObjectTable<Cluster>, reader: ObjectReader<Cluster>): ClusterSecretHandlers {
  const secret = async (path: string, what: string, id: string, context: CallContext): Promise<Uint8Array<ArrayBuffer>> => {
    const principal = principalOf(context.identity);
    const cluster = await reader.get(principal, id);
    if (!isOwn(principal, cluster.metadata?.tenants ?? [])) {
      throw new StatusError(
        'permission_denied',
        `the ${what} of cluster "${id}", which is shared with everybody, is only for its own tenants`,
      );
    }
    const value = (await store.secretsOf(db, cluster.id)).get(path);
    if (value !== undefined) return new Uint8Array(value);
    throw new StatusError('failed_precondition', `cluster "${cluster.id}" has no ${what} yet; it gets one when it is ready`);
  };
  const kubeconfig = (request: GetRequest, context: CallContext) => secret('status.kubeconfig', 'kubeconfig', request.id, context);
  const password = (request: GetRequest, context: CallContext) => secret('status.password', 'password', request.id, context);
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  return {
    getKubeconfig: async (request, context) => ({ kubeconfig: text(await kubeconfig(request, context)) }),
    getKubeconfigViaHttp: async (request, context) => ({ contentType: 'application/yaml', data: await kubeconfig(request, context) }),
    getPassword: async (request, context) => ({ password: text(await password(request, context)) }),
    getPasswordViaHttp: async (request, context) => ({ contentType: 'text/plain', data: await password(request, context) }),
  };
}
