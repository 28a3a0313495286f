import { KubeClient } from '@quartermaster/kube';
import { type ConfigValues, outgoingTraceHeaders } from '@quartermaster/service';
import { kubernetesSettings } from '../declaration/kubernetes-settings.ts';
import type { RoleNeeds } from '../declaration/role-needs.ts';
import { sharedKubernetes } from '../declaration/shared-keys.ts';
import type { RoleHost } from './role-host.ts';

/**
 * A client for the cluster that the settings name. One that the roles of a process share is used instead, and stays open; not by a role that `up` starts without waiting for
 * the cluster, since it would depend on which is faster.
 */
export async function connectKubernetes(
  host: Pick<RoleHost, 'shared' | 'prefix' | 'version' | 'keep'>,
  { up }: Pick<RoleNeeds, 'up'>,
  config: ConfigValues,
): Promise<KubeClient> {
  const shared = up === 'alone' ? undefined : host.shared.find(sharedKubernetes);
  if (shared !== undefined) return shared;
  const { kubeconfig, context } = kubernetesSettings.slice(config);
  const userAgent = `quartermaster-${host.prefix}/${host.version}`;
  const client = await KubeClient.connect({ kubeconfig, context, userAgent, traceHeaders: outgoingTraceHeaders });
  host.keep('connections to the cluster', () => client.close());
  return client;
}
