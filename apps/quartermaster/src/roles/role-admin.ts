import { type Clock, isLoopback } from '@quartermaster/kernel';
import { kubernetesSettings } from '@quartermaster/runtime';
import {
  type ConfigValues,
  type Health,
  type Lifecycle,
  type Logger,
  type Metrics,
  startAdminServer,
  watchTls,
} from '@quartermaster/service';
import { version } from '../product/product.ts';
import { processConfig } from './role-config.ts';

export interface RoleAdminOptions {
  /** Of the process and its role. */
  readonly config: ConfigValues;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly lifecycle: Lifecycle;
  readonly clock: Clock;
  readonly log: Logger;
}

const stopMs = 500;

/** Serves the probes and metrics of a process until its lifecycle ends: on loopback to everybody, beyond it over TLS and to known callers. */
export async function startRoleAdmin({ config, health, metrics, lifecycle, clock, log }: RoleAdminOptions): Promise<void> {
  const settings = processConfig.slice(config);
  const { 'admin-host': host, 'admin-port': port, 'admin-tls-cert-file': certFile, 'admin-tls-key-file': keyFile } = settings;
  const clientCaFile = settings['admin-client-ca-file'];
  const tls =
    certFile === undefined || keyFile === undefined ? undefined : await watchTls({ certFile, keyFile, clientCaFile }, { clock, log });
  if (tls !== undefined) {
    lifecycle.add({ name: 'certificate of the admin server', stop: () => tls.close() });
    health.register('admin certificate', 'ready', () => tls.check());
  }
  const admit = isLoopback(host) ? undefined : await knownCallers(config, lifecycle, clock);
  const admin = await startAdminServer({ health, metrics, host, port, tls, admit, clock, log });
  lifecycle.add({ name: 'admin server', stop: ({ withinMs }) => admin.stop(Math.min(withinMs, stopMs)) });
}

async function knownCallers(config: ConfigValues, lifecycle: Lifecycle, clock: Clock) {
  const [{ adminAccess }, { KubeClient }] = await Promise.all([import('@quartermaster/runtime/host'), import('@quartermaster/kube')]);
  const { kubeconfig, context } = kubernetesSettings.slice(config);
  const connect = async () => {
    const client = await KubeClient.connect({ kubeconfig, context, userAgent: `quartermaster-admin/${version}` });
    lifecycle.add({ name: 'reviews of tokens', stop: () => client.close() });
    return client;
  };
  return adminAccess({ connect, clock });
}
