import { create, type DescField, type DescMessage, type Message } from '@bufbuild/protobuf';
import * as pub from '@quartermaster/api/fulfillment';
import * as priv from '@quartermaster/api/private';
import type { RpcChannel } from '@quartermaster/rpc';
import { kubeconfigOf } from './sample-secrets.ts';

/** An object with a value in every secret field. */
export interface PlantedObject {
  readonly id: string;
  /** Path of a secret -> its value. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** The tenant that owns the cluster. */
export const owner = 'acme';

/**
 * Makes an object of every kind that has secrets, each with a value that `canary` gives. Whoever adds such a kind adds it here: the tests ask for the kinds of the
 * contract by the names of their messages.
 */
export async function plantSecrets(admin: RpcChannel, canary: () => string): Promise<Readonly<Record<string, PlantedObject>>> {
  const text = new TextEncoder();
  const host = { 'spec.bmc.password': canary() };
  await admin
    .client(priv.Hosts)
    .create({ object: { id: 'planted-host', spec: { bmc: { user: 'u', password: host['spec.bmc.password'] } } } });
  const hub = { kubeconfig: kubeconfigOf(canary()), pull_secret: JSON.stringify({ auths: { registry: { auth: canary() } } }) };
  await admin.client(priv.Hubs).create({
    object: { id: 'planted-hub', namespace: 'n', kubeconfig: text.encode(hub.kubeconfig), pullSecret: hub.pull_secret },
  });
  await admin.client(priv.HostClasses).create({ object: { id: 'planted-class' } });
  const nodeSets = { w: { hostClass: 'planted-class', size: 1 } };
  await admin.client(priv.ClusterTemplates).create({ object: { id: 'planted-template', nodeSets } });
  const cluster = { 'status.kubeconfig': kubeconfigOf(canary()), 'status.password': canary() };
  await admin.client(priv.Clusters).create({
    object: {
      id: 'planted-cluster',
      metadata: { tenants: [owner] },
      spec: { template: 'planted-template' },
      status: { kubeconfig: text.encode(cluster['status.kubeconfig']), password: cluster['status.password'] },
    },
  });
  return {
    [priv.HostSchema.typeName]: { id: 'planted-host', secrets: host },
    [priv.HubSchema.typeName]: { id: 'planted-hub', secrets: hub },
    [priv.ClusterSchema.typeName]: { id: 'planted-cluster', secrets: cluster },
    [pub.ClusterSchema.typeName]: { id: 'planted-cluster', secrets: cluster },
  };
}

/** The text at a path of a message, whether it is text or bytes. */
export function textAt(schema: DescMessage, message: Message | undefined, path: string): string {
  let value: unknown = message ?? create(schema);
  let type: DescMessage | undefined = schema;
  for (const name of path.split('.')) {
    const field: DescField | undefined = type?.fields.find((each) => each.name === name);
    if (field === undefined) throw new Error(`${schema.typeName} has no ${path}`);
    value = typeof value === 'object' && value !== null ? Reflect.get(value, field.localName) : undefined;
    type = field.message;
  }
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : typeof value === 'string' ? value : '';
}
