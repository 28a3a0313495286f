import type { Cluster } from '@quartermaster/api/private';
import { StatusError } from '@quartermaster/kernel';
import { callOf, type GetRequest, mayReveal, type ObjectReader } from '@quartermaster/objects';
import type { CallContext } from '@quartermaster/rpc';
import type { ObjectTable, Queryable } from '@quartermaster/store';
import { safeKubeconfigViolations } from '../rules/index.ts';

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

/** The credentials of a cluster, for the tenants that own it and for those who may open the secrets of all. Each call asks to reveal them by what it is. */
export function clusterSecretHandlers(db: Queryable, store: ObjectTable<Cluster>, reader: ObjectReader<Cluster>): ClusterSecretHandlers {
  const secret = async (path: string, what: string, id: string, context: CallContext): Promise<Uint8Array<ArrayBuffer>> => {
    const { principal, origin } = callOf(context);
    const cluster = await reader.get(principal, id);
    if (!mayReveal(principal, cluster.metadata?.tenants ?? [])) {
      throw new StatusError(
        'permission_denied',
        `the ${what} of cluster "${id}" is only for the tenants that own it and for administrators: ask one of them`,
      );
    }
    const value = (await store.secretsOf(db, cluster.id)).get(path);
    if (value === undefined)
      throw new StatusError('failed_precondition', `cluster "${cluster.id}" has no ${what} yet; it gets one when it is ready`);
    const [broken] = path === 'status.kubeconfig' ? safeKubeconfigViolations(path, value) : [];
    if (broken !== undefined) {
      throw new StatusError(
        'failed_precondition',
        `the stored kubeconfig of cluster "${cluster.id}" is not handed out: it ${broken.description}. Ask your provider to store another one`,
      );
    }
    await reader.recordReveal(origin, cluster);
    return new Uint8Array(value);
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
