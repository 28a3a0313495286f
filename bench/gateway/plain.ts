/**
 * The gateway as it is done today: each call asks the API server, for the status of a lease five times, one after another; a stream of logs lists the pods, reads each of them and
 * writes each line at once, however much is still on its way. TLS, WebSockets, the proof of who calls and the client of the API server are those that ours has, and what accounts
 * have for keys it knows from its start.
 */
import { providerHostType } from '@quartermaster/api/provider-host';
import {
  type GatewayRoute,
  GatewayServer,
  identifyTenant,
  LocalMarket,
  leaseNumbers,
  logWish,
  RouteTable,
  shellWish,
  streamShell,
  type TenantRequest,
} from '@quartermaster/cluster/testing';
import { silentLog, systemClock } from '@quartermaster/kernel';
import { KubeClient, kinds, openExec, podLog } from '@quartermaster/kube';
import type { Pod } from '@quartermaster/kube/shapes';
import { openRpcChannel } from '@quartermaster/rpc';
import { listen, watchTls } from '@quartermaster/service';
import { type GatewayReady, owner, type SiteReady } from './protocol.ts';
import { tellMemory } from './tell-memory.ts';

const lease = '/lease/{dseq}/{gseq}/{oseq}';
const slowReaderMs = 30_000;
const host = '127.0.0.1';
const hostsNamespace = 'lease';

const { kubeconfig, certFile, keyFile, market: known } = JSON.parse(process.argv[2] ?? '') as SiteReady;
const client = await KubeClient.connect({ kubeconfig });
const market = new LocalMarket(async () => openRpcChannel({ address: known.address, token: async () => known.token }));
const keys = await market.keysOf(owner, AbortSignal.timeout(slowReaderMs));
market.close();

function namespaceOf({ parts, tenant }: TenantRequest): string {
  const { dseq, gseq, oseq } = leaseNumbers(parts);
  return `lease-${tenant.owner}-${dseq}-${gseq}-${oseq}`;
}

async function podsOf(namespace: string, services: readonly string[]): Promise<readonly Pod[]> {
  const labelSelector = `akash.network/manifest-service in (${services.join(',')})`;
  const { items } = await client.list(kinds.pods, { namespace, labelSelector });
  return items.toSorted((a, b) => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1));
}

async function statusOf(namespace: string): Promise<object> {
  await client.get(kinds.namespaces, { name: namespace });
  const { items: deployments } = await client.list(kinds.deployments, { namespace });
  const { items: statefulSets } = await client.list(kinds.statefulSets, { namespace });
  const labelSelector = `akash.network/namespace=${namespace}`;
  const { items: hosts } = await client.list(providerHostType, { namespace: hostsNamespace, labelSelector });
  const { items: services } = await client.list(kinds.services, { namespace });
  return {
    services: Object.fromEntries(
      [...deployments, ...statefulSets].map(({ metadata, spec, status }) => {
        const name = metadata?.name ?? '';
        const uris = hosts.filter((each) => each.spec?.service_name === name).map((each) => each.spec?.hostname);
        const { replicas = 0, updatedReplicas = 0, readyReplicas = 0, availableReplicas = 0, observedGeneration = 0 } = status ?? {};
        const figures = { observed_generation: observedGeneration, replicas, updated_replicas: updatedReplicas };
        const ready = { ready_replicas: readyReplicas, available_replicas: availableReplicas };
        return [name, { name, available: availableReplicas, total: spec?.replicas ?? 0, uris, ...figures, ...ready }];
      }),
    ),
    forwarded_ports: Object.fromEntries(
      services
        .filter(({ spec }) => spec?.type === 'NodePort')
        .map(({ metadata, spec }) => {
          const ports = (spec?.ports ?? []).map(({ port, nodePort, protocol }) => ({
            host,
            port,
            externalPort: nodePort,
            proto: protocol,
          }));
          return [metadata?.name ?? '', ports];
        }),
    ),
    ips: {},
  };
}

const routes: readonly GatewayRoute[] = [
  {
    kind: 'answer',
    method: 'GET',
    path: `${lease}/status`,
    answer: async (request) => ({ json: await statusOf(namespaceOf(request)) }),
  },
  {
    kind: 'stream',
    method: 'GET',
    path: `${lease}/logs`,
    open: async (request) => {
      const namespace = namespaceOf(request);
      const { services, follow, tail: tailLines } = logWish(request.query);
      const pods = await podsOf(namespace, services);
      return async (socket) => {
        const tell = async ({ metadata: { name = '' } = {}, spec }: Pod): Promise<void> => {
          const options = { container: spec?.containers?.[0]?.name, follow, tailLines, signal: socket.signal };
          for await (const message of podLog(client, { namespace, name }, options))
            socket.send(JSON.stringify({ name, message })).catch(() => {});
        };
        await Promise.all(pods.map(tell));
      };
    },
  },
  {
    kind: 'stream',
    method: 'GET',
    path: `${lease}/shell`,
    open: async (request) => {
      const namespace = namespaceOf(request);
      const wish = shellWish(request.query);
      const { metadata: { name = '' } = {} } = (await podsOf(namespace, [wish.service]))[wish.podIndex] ?? {};
      const open = (signal: AbortSignal) => openExec(client, { namespace, name }, { ...wish, container: wish.service, signal });
      return async (socket) => void (await streamShell({ socket, open, wish, said: () => {} }));
    },
  },
];

const certificates = await watchTls({ certFile, keyFile });
const { server } = new GatewayServer({
  routes: new RouteTable(routes),
  identify: identifyTenant({ keys: { of: async () => keys }, hasLease: () => true, clock: systemClock }),
  tls: {
    serverOptions: () => ({ ...certificates.serverOptions(), minVersion: 'TLSv1.3', requestCert: true, rejectUnauthorized: false }),
    keep: (each) => certificates.keep(each),
  },
  ...{
    limits: undefined,
    publicLimits: undefined,
    streams: undefined,
    slowReaderMs,
    clock: systemClock,
    log: silentLog,
    onAnswer: () => {},
  },
});
process.on('disconnect', () => process.exit(0));
tellMemory();
const port = await listen(server, { host, port: 0 });
process.send?.({ address: `${host}:${port}` } satisfies GatewayReady);
