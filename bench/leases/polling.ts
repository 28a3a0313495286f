/**
 * A manager for each lease that keeps nothing of the cluster in memory: it deploys by reading and writing one object after another, 22 requests for a lease of one service, looks
 * after its lease every 10 to 15 seconds by four requests, and deploys everything anew when the process starts. It has the same client and the same server as ours has.
 */
import { manifestType } from '@quartermaster/api/manifest';
import { providerHostType } from '@quartermaster/api/provider-host';
import { providerLeasedIPType } from '@quartermaster/api/provider-leased-ip';
import { limit, pause, seededRandom, systemClock } from '@quartermaster/kernel';
import { isFailure, KubeClient, type KubeObject, kinds, type ResourceType } from '@quartermaster/kube';
import { type PolledLease, polledLease, type Wanted } from './polled-objects.ts';
import { type Deployed, type LeaseRange, measuredAgent, memory, type Ready, type RunnerRequest } from './protocol.ts';
import { indexesOf } from './sample-lease.ts';

const [periodMs, jitterMs] = [10_000, 5_000];
/** More would only wait at the server, each on a connection of its own. */
const requestsAtOnce = 32;
const timeoutMs = 300_000;
const manifestNamespace = 'lease';

const [kubeconfig = '', , count = ''] = process.argv.slice(2);
const random = seededRandom(process.pid);
const ending = new AbortController();
const leases = new Map<number, PolledLease>();
const unhealthy = new Set<string>(); // namespaces
const initial = indexesOf({ first: 0, count: Number(count) });
for (const index of initial) leases.set(index, polledLease(index));

const begun = performance.now();
const client = await KubeClient.connect({ kubeconfig, userAgent: measuredAgent, timeoutMs });
const inTurn = limit(requestsAtOnce);

/** Read, then created or written as a whole. */
async function put({ type, object }: Wanted): Promise<void> {
  const { namespace, name = '' } = object.metadata ?? {};
  const found = await inTurn(() => client.find(type, namespace === undefined ? { name } : { namespace, name }));
  if (found === undefined) {
    await inTurn(() => client.create(type, object));
    return;
  }
  await inTurn(() => client.replace(type, merged(type, found, object)));
}

/** What the server has given to a Service stays. */
function merged(type: ResourceType, found: KubeObject, object: KubeObject): KubeObject {
  const specs = [found, object].map((each) => (each as { readonly spec?: object }).spec);
  const [standing, wanted] = specs;
  const spec = type.kind === kinds.services.kind ? { ...wanted, ...standing } : { ...standing, ...wanted };
  return { ...found, ...object, metadata: found.metadata, ...(wanted === undefined ? {} : { spec }) };
}

async function deploy(lease: PolledLease): Promise<void> {
  const { namespace, before, workload, hosts, services } = lease;
  const labelSelector = `akash.network/namespace=${namespace}`;
  await inTurn(() => client.list(providerLeasedIPType, { namespace: manifestNamespace, labelSelector }));
  for (const each of before) await put(each);
  const names = services.map(({ name }) => name).join(',');
  const stale = { namespace, labelSelector: `akash.network/service-target=true,akash.network/manifest-service notin (${names})` };
  await inTurn(() => client.deleteCollection(kinds.deployments, stale));
  await inTurn(() => client.deleteCollection(kinds.statefulSets, stale));
  await inTurn(() => client.deleteCollection(kinds.services, stale));
  for (const each of [...workload, ...hosts]) await put(each);
}

async function check({ namespace, services }: PolledLease): Promise<void> {
  await inTurn(() => client.get(kinds.namespaces, { name: namespace }));
  const { items: deployments } = await inTurn(() => client.list(kinds.deployments, { namespace }));
  await inTurn(() => client.list(kinds.statefulSets, { namespace }));
  const labelSelector = `akash.network/namespace=${namespace}`;
  await inTurn(() => client.list(providerHostType, { namespace: manifestNamespace, labelSelector }));
  const available = new Map(deployments.map(({ metadata, status }) => [metadata?.name, status?.availableReplicas ?? 0]));
  if (services.every(({ name, count: replicas }) => (available.get(name) ?? 0) >= replicas)) unhealthy.delete(namespace);
  else unhealthy.add(namespace);
}

/** As it is once the process runs for a while: each lease is somewhere in its period. */
async function monitor(lease: PolledLease): Promise<void> {
  const { signal } = ending;
  await pause(systemClock, random.next() * (periodMs + jitterMs / 2), signal);
  while (!signal.aborted) {
    await check(lease).catch(() => unhealthy.add(lease.namespace));
    await pause(systemClock, periodMs + random.next() * jitterMs, signal);
  }
}

async function deployMore(range: LeaseRange, atOnce: number): Promise<Deployed> {
  const some = limit(atOnce);
  const seconds = await Promise.all(
    indexesOf(range).map((index) =>
      some(async () => {
        const acceptedAt = performance.now();
        const lease = polledLease(index);
        leases.set(index, lease);
        await deploy(lease);
        return (performance.now() - acceptedAt) / 1000;
      }),
    ),
  );
  return { seconds };
}

/** Its namespace, its manifest and its hostnames at the same time. */
async function close(range: LeaseRange): Promise<object> {
  const closing = indexesOf(range).flatMap((index) => leases.get(index) ?? []);
  const gone = (deletion: Promise<void>): Promise<void> =>
    deletion.catch((thrown: unknown) => (isFailure(thrown, 'not-found') ? undefined : Promise.reject(thrown)));
  await Promise.all(
    closing.flatMap(({ namespace }) => [
      gone(inTurn(() => client.delete(kinds.namespaces, { name: namespace }))),
      gone(inTurn(() => client.delete(manifestType, { namespace: manifestNamespace, name: namespace }))),
      inTurn(() =>
        client.deleteCollection(providerHostType, {
          namespace: manifestNamespace,
          labelSelector: `akash.network/namespace=${namespace}`,
        }),
      ),
    ]),
  );
  for (const index of indexesOf(range)) leases.delete(index);
  return {};
}

async function answer(request: RunnerRequest): Promise<object> {
  if (request.kind === 'deploy') return await deployMore(request.leases, request.atOnce);
  if (request.kind === 'close') return await close(request.leases);
  if (request.kind === 'memory') return memory();
  for (const lease of leases.values()) void monitor(lease);
  return {};
}

process.on('disconnect', () => process.exit(0));
process.on('message', (request: RunnerRequest) => void answer(request).then((told) => process.send?.(told)));
await inTurn(() => client.list(manifestType, { namespace: manifestNamespace }));
await Promise.all([...leases.values()].map(deploy));
process.send?.({ seconds: (performance.now() - begun) / 1000 } satisfies Ready);
