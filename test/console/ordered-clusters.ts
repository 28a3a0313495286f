import type { FulfilledConsole } from './fulfilled-console.ts';

/** A kubeconfig that the service takes. */
export const kubeconfigText = `apiVersion: v1
kind: Config
current-context: a
contexts:
- name: a
  context: { cluster: a, user: a }
clusters:
- name: a
  cluster: { server: https://127.0.0.1:6443 }
users:
- name: a
  user: { token: canary-token }
`;

const wellKnown = (name: string): string => `type.googleapis.com/google.protobuf.${name}`;

/** Beside what the datacenter has: a hub with secrets, a template with parameters, a cluster that is ready and one that lacks hosts. */
export async function orderClusters({ call }: FulfilledConsole): Promise<void> {
  await call('POST', '/api/private/v1/hubs', {
    id: 'hub-east',
    metadata: { name: 'hub-east' },
    namespace: 'clusters',
    ip: '10.0.0.5',
    kubeconfig: Buffer.from(kubeconfigText).toString('base64'),
    pull_secret: JSON.stringify({ auths: { 'registry.example.com': { auth: 'canary-auth' } } }),
  });
  await call('POST', '/api/private/v1/cluster_templates', {
    id: 'general',
    metadata: { name: 'general', tenants: ['shared'] },
    title: 'General purpose',
    description: 'A few hosts with two sockets each, for whatever comes.',
    node_sets: { workers: { host_class: 'cpu', size: 2 } },
    parameters: [
      { name: 'topology', title: 'Topology', description: 'how the hosts are wired', required: true, type: wellKnown('StringValue') },
      { name: 'replicas', title: 'Replicas', type: wellKnown('Int32Value'), default: { '@type': wellKnown('Int32Value'), value: 3 } },
      { name: 'encrypted', title: 'Encrypted', type: wellKnown('BoolValue'), default: { '@type': wellKnown('BoolValue'), value: true } },
    ],
  });
  const topology = { topology: { '@type': wellKnown('StringValue'), value: 'ring' } };
  for (const [id, size] of [
    ['acme-ready', 2],
    ['acme-short', 50],
  ] as const) {
    await call('POST', '/api/private/v1/clusters', {
      id,
      metadata: { name: id, tenants: ['acme'] },
      spec: { template: 'general', template_parameters: topology, node_sets: { workers: { size } } },
    });
  }
  await call('POST', '/api/quartermaster/v1/clusters/acme-ready/hosts/claim', { node_set: 'workers' });
  const readyAt = new Date().toISOString();
  await call('PATCH', '/api/private/v1/clusters/acme-ready', {
    status: {
      state: 'CLUSTER_STATE_READY',
      conditions: [
        {
          type: 'CLUSTER_CONDITION_TYPE_READY',
          status: 'CONDITION_STATUS_TRUE',
          last_transition_time: readyAt,
          message: 'all nodes are ready',
        },
      ],
      api_url: 'https://api.acme-ready.example.com:6443',
      console_url: 'https://console.acme-ready.example.com',
      hub: 'hub-east',
      alias: 'acme-ready',
      port: 30_443,
      kubeconfig: Buffer.from(kubeconfigText).toString('base64'),
      password: 'open-sesame',
    },
  });
}
